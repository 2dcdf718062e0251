#include "cli/forward/sink_options.h"

#include <fmt/format.h>

#include <set>

#include "base/text.h"
#include "cli/token_store.h"

namespace mikroscope::cli {

void SinkOptions::declare(OptionSet& set) {
  const auto keep = [&](std::string text) -> std::string_view {
    return texts_.emplace_back(std::move(text));
  };
  std::set<std::string_view> declared;  // what several sinks share is declared once
  for (const sinks::SinkDef* sink : sinks::all_sinks()) {
    for (const sinks::SinkOption& option : sink->options) {
      if (!declared.insert(option.name).second) continue;
      const std::string name(option.name);
      OptionSpec spec;
      spec.names = option.secret ? option.name : keep("--" + name);
      spec.group = keep(fmt::format("Store: {}", sink->name));
      spec.value = option.value;
      spec.help = option.help;
      spec.choices = option.choices;
      spec.default_text = option.default_text;
      spec.secret = option.secret;
      if (option.secret) spec.sources = Sources::no_flag;
      set.add(spec,
              [this, name, is_switch = option.value.empty()](const std::string& text,
                                                             Origin) -> base::Result<void> {
                const bool off =
                    is_switch && (text == "0" || text == "false" || text == "no" || text == "off");
                if (!off) values_.set(name, is_switch ? "true" : text);
                return {};
              });
      if (!option.secret) continue;
      SecretFile& file = secret_files_.emplace_back(SecretFile{name, {}});
      set.text({.names = keep("--" + name + "-file"),
                .group = spec.group,
                .value = "FILE",
                .help = keep(fmt::format("file whose first line is the {}", name))},
               file.path);
    }
  }
}

base::Result<void> SinkOptions::read_secret_files() {
  for (const SecretFile& file : secret_files_) {
    if (file.path.empty()) continue;
    auto line = read_secret_file(file.path, fmt::format("--{}-file", file.option));
    if (!line.ok()) return line.error();
    values_.set(file.option, std::string(base::trim(*line)));
  }
  return {};
}

base::Result<sinks::SinkValues> SinkOptions::values() {
  if (auto read = read_secret_files(); !read.ok()) return read.error();
  return values_;
}

base::Result<std::vector<std::unique_ptr<sinks::Sink>>> SinkOptions::make() {
  if (auto read = read_secret_files(); !read.ok()) return read.error();
  std::vector<std::unique_ptr<sinks::Sink>> made;
  std::string names;
  for (const sinks::SinkDef* sink : sinks::all_sinks()) {
    names += fmt::format("{}--{}", names.empty() ? "" : ", ", sink->options.front().name);
    if (!values_.has(sink->options.front().name)) {
      // Options of a store that is not turned on are a mistake more often than not.
      for (const sinks::SinkOption& option : sink->options.subspan(1)) {
        if (!values_.has(option.name) || option.secret || !option.name.starts_with(sink->name)) continue;
        return base::Error{
            fmt::format("--{} is given, but not --{}", option.name, sink->options.front().name),
            fmt::format("add --{} {}", sink->options.front().name, sink->options.front().value),
            base::Exit::usage};
      }
      continue;
    }
    auto one = sink->make(values_);
    if (!one.ok()) return one.error();
    made.push_back(std::move(*one));
  }
  if (made.empty())
    return base::Error{"no store: give at least one of " + names, "--stdout lp shows what would be stored",
                       base::Exit::usage};
  return made;
}

}  // namespace mikroscope::cli
