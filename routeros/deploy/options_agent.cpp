// The options that are the agent's own settings. Its parser judges them, so that nothing is judged twice in
// different ways.

#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "agent/config.h"
#include "base/format.h"
#include "base/host/duration.h"
#include "routeros/deploy/options_bounds.h"

namespace mikroscope::routeros {
namespace {

using Done = base::Result<void>;
using Settings = std::vector<std::pair<std::string, std::string>>;

// The installation itself decides these.
bool decided(std::string_view variable) {
  constexpr std::string_view kDecided[] = {"PORT",      "ADDR",     "TOKEN",
                                           "PROC_ROOT", "SYS_ROOT", "MIKROSCOPE_TAG"};
  return std::find(std::begin(kDecided), std::end(kDecided), variable) != std::end(kDecided);
}

// A setting counted in seconds takes 5m too.
std::string in_seconds(const std::string& variable, const std::string& given) {
  if (!variable.ends_with("_S")) return given;
  const base::Result<std::int64_t> ns = base::parse_duration(given);
  constexpr std::int64_t kSecond = 1'000'000'000;
  if (!ns.ok() || *ns % kSecond != 0) return given;
  return std::to_string(*ns / kSecond);
}

Done set_agent_setting(Options& o, const std::string& variable, const std::string& given) {
  const std::string value = in_seconds(variable, given);
  Settings alone = {{variable, value}};
  // Some are judged together with the captures; settle() does that once all are known.
  if (variable != "CAPTURE_MB") alone.emplace_back("CAPTURE_MB", "0");
  Done good = ask_agent(alone);
  if (!good.ok()) return good;
  for (auto& [name, text] : o.agent) {
    if (name == variable) text = value;
  }
  return {};
}

// Names made from the agent's table, which the views in OptionDef point to.
const std::string& kept(std::string text) {
  static std::deque<std::string> all;
  return all.emplace_back(std::move(text));
}

OptionDef agent_option(const agent::Setting& setting) {
  const std::string variable(setting.name);
  OptionDef d;
  d.name = kept(flag_of_setting(variable));
  d.group = "Agent";
  d.value = setting.number == nullptr ? "TEXT" : "N";
  d.fallback = setting.fallback;
  d.bounds =
      setting.number == nullptr ? setting.want : kept(fmt::format("{} to {}", setting.low, setting.high));
  d.help = std::string_view(setting.help);
  if (setting.kind == agent::SettingKind::choice) d.choices = "first,last";
  d.variable = setting.name;
  d.set = [variable](Options& o, const std::string& given) { return set_agent_setting(o, variable, given); };
  d.get = [variable](const Options& o) { return std::string(o.agent_setting(variable)); };
  return d;
}

}  // namespace

base::Result<void> ask_agent(const Settings& settings) {
  char message[4096];
  base::Writer error(message, sizeof message);
  agent::Config config;
  const agent::Lookup lookup = [](void* context, const char* name) -> const char* {
    for (const auto& [variable, value] : *static_cast<const Settings*>(context)) {
      if (variable == name) return value.c_str();
    }
    return nullptr;
  };
  Settings copy = settings;
  if (agent::parse_config(lookup, &copy, config, error)) return {};
  return base::Error{std::string(error.view()), "", base::Exit::usage};
}

std::string flag_of_setting(std::string_view variable) {
  if (variable == "RATE_HZ") return "rate";
  if (variable.ends_with("_S")) variable.remove_suffix(2);
  std::string out;
  for (const char c : variable) {
    out += c == '_' ? '-' : c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
  }
  return out;
}

std::vector<OptionDef> agent_options() {
  std::vector<OptionDef> all;
  for (const agent::Setting& setting : agent::all_settings()) {
    if (!decided(setting.name)) all.push_back(agent_option(setting));
  }
  return all;
}

}  // namespace mikroscope::routeros
