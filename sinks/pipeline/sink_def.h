// How a sink is made known: one file and one line in sinks/stores/registry.cpp. Flags, environment variables,
// the configuration file, `forward --check` and the pages of the documentation come from here.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/host/result.h"
#include "sinks/pipeline/sink.h"

namespace mikroscope::sinks {

struct SinkOption {
  std::string_view name;   // "influx-db": --influx-db, MIKROSCOPE_INFLUX_DB, key of the configuration file
  std::string_view value;  // placeholder: "NAME"; empty: a switch
  std::string_view help;
  std::string_view choices = {};  // comma list; empty: anything
  std::string_view default_text = {};
  bool secret = false;  // never a flag: environment, or NAME_FILE / the configuration file
};

// What was given, by option name. A switch that was given has the value "true".
class SinkValues {
 public:
  void set(std::string_view name, std::string value) { values_[std::string(name)] = std::move(value); }
  bool has(std::string_view name) const { return values_.find(name) != values_.end(); }
  // The value or, where none was given, `otherwise`.
  std::string text(std::string_view name, std::string_view otherwise = {}) const {
    const auto found = values_.find(name);
    return found == values_.end() ? std::string(otherwise) : found->second;
  }
  bool on(std::string_view name) const { return text(name) == "true"; }

 private:
  std::map<std::string, std::string, std::less<>> values_;
};

struct SinkDef {
  std::string_view name;                // "influx"; the option of this name turns the sink on
  std::string_view summary;             // one line
  std::span<const SinkOption> options;  // the first is the one that turns it on
  // Wrong values: Exit::usage, naming the option. It connects to nothing that may be slow.
  base::Result<std::unique_ptr<Sink>> (*make)(const SinkValues& values);
};

std::span<const SinkDef* const> all_sinks();

}  // namespace mikroscope::sinks
