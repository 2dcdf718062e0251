// Configuration by environment. One table describes every variable; the parser, /capabilities, -help and the
// page in docs/ are made from it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/format.h"
#include "proc/schema.h"

namespace mikroscope::agent {

struct Config {
  std::uint32_t rate_hz = 0;
  std::uint32_t buffer_s = 0;
  std::uint32_t port = 0;
  std::string_view addr;   // an IPv4 or IPv6 literal; empty: every address
  std::string_view token;  // empty: no token asked for
  std::string_view sources;
  std::string_view triggers;
  std::uint32_t capture_mb = 0;
  std::uint32_t capture_pre_s = 0;
  std::uint32_t capture_post_s = 0;
  std::string_view capture_policy;  // first | last
  std::uint32_t trigger_refractory_s = 0;
  std::uint32_t floor_hz = 0;
  std::uint32_t subtick = 0;
  std::string_view proc_root;
  std::string_view sys_root;
  std::string_view tag;
};

enum class SettingKind : std::uint8_t { number, text, choice, address, secret, sources, triggers, path };

struct Setting {
  [[no_unique_address]] proc::TableText name;
  SettingKind kind;
  [[no_unique_address]] proc::TableText fallback;  // used where the variable is unset or empty
  std::uint32_t low;                               // numbers only
  std::uint32_t high;
  [[no_unique_address]] proc::TableText want;  // choices in words, or the form of the value
  [[no_unique_address]] proc::HelpText help;
  std::uint32_t Config::*number;
  std::string_view Config::*text;
};
std::span<const Setting> all_settings();

// The value of an environment variable, or nullptr. The text lives as long as the program.
using Lookup = const char* (*)(void* context, const char* name);

// False: `error` says on one line which variable, what it held and what it may hold.
bool parse_config(Lookup lookup, void* context, Config& out, base::Writer& error);
// From the process environment.
bool parse_environment(Config& out, base::Writer& error);

// True if `name` is in the comma-separated `list`, or `list` is empty (all).
bool source_selected(std::string_view list, std::string_view name);

// Takes the next comma-separated item (blanks trimmed, empty items skipped) off `list`. False at the end.
bool next_item(std::string_view& list, std::string_view& item);

// One line for each variable: name, default, range, help (-help).
void write_settings_help(base::Writer& out);

}  // namespace mikroscope::agent
