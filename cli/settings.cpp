#include "cli/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "base/host/suggest.h"

namespace mikroscope::cli {
namespace {

const ConfigEntry* find(const ConfigEntries& entries, std::string_view key) {
  for (const ConfigEntry& e : entries) {
    if (e.key == key) return &e;
  }
  return nullptr;
}

SettingValue from_entry(const Setting& setting, const ConfigEntry& entry, Origin origin,
                        const ConfigFile& file) {
  return {&setting, origin, entry.values, fmt::format("{}:{}: {}", file.path(), entry.line, entry.key)};
}

// Without the profile, which is not known yet.
SettingValue resolve_plain(const Setting& setting, const std::vector<std::string>& given,
                           const ConfigFile& file) {
  if (!given.empty()) return {&setting, Origin::command_line, given, setting.title()};
  if (!setting.env.empty()) {
    const char* const value = std::getenv(setting.env.c_str());
    if (value != nullptr && *value != '\0') return {&setting, Origin::environment, {value}, setting.env};
  }
  const ConfigEntry* const entry = setting.positional || setting.spec.sources == Sources::profile_only
                                       ? nullptr
                                       : find(file.defaults(), setting.name);
  if (entry != nullptr) return from_entry(setting, *entry, Origin::defaults, file);
  return {&setting, Origin::none, {}, {}};
}

base::Result<void> check_choice(const OptionSpec& spec, const std::string& text) {
  if (spec.choices.empty()) return {};
  const std::vector<std::string> choices = split_choices(spec.choices);
  if (std::find(choices.begin(), choices.end(), text) != choices.end()) return {};
  const std::string near = base::closest(text, choices);
  return base::Error{fmt::format("\"{}\" is none of {}", text, fmt::join(choices, ", ")),
                     near.empty() ? "" : fmt::format("did you mean {}?", near), base::Exit::usage};
}

// `--local=false` is no other target.
bool says_no(const std::string& text) {
  return text == "0" || text == "false" || text == "no" || text == "off";
}

}  // namespace

std::string Setting::title() const {
  if (positional) return std::string(spec.value);
  return spec.sources == Sources::all ? "--" + name : name;
}

std::string env_name(std::string_view long_name) {
  std::string out = "MIKROSCOPE_";
  for (const char c : long_name)
    out += c == '-' ? '_' : static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  return out;
}

std::vector<std::string> split_choices(std::string_view list) {
  std::vector<std::string> out;
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    if (comma != 0) out.emplace_back(list.substr(0, comma));
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return out;
}

Resolved resolve(std::span<const Setting> settings, std::span<const std::vector<std::string>> given,
                 const ConfigFile& file) {
  Resolved out;
  const SettingValue* router = nullptr;
  Origin other_target = Origin::none;
  out.values.reserve(settings.size());
  for (std::size_t i = 0; i < settings.size(); ++i) {
    out.values.push_back(resolve_plain(settings[i], given[i], file));
    const SettingValue& value = out.values.back();
    if (settings[i].spec.role == ProfileRole::names) router = &value;
    if (settings[i].spec.role == ProfileRole::replaces && !value.texts.empty() &&
        !says_no(value.texts.back())) {
      other_target = std::max(other_target, value.origin);
    }
  }
  if (router == nullptr || router->texts.empty() || other_target > router->origin) return out;
  const ConfigEntries* const profile = file.router(router->texts.back());
  if (profile == nullptr) return out;
  out.profile = router->texts.back();
  for (SettingValue& value : out.values) {
    if (value.origin > Origin::profile || value.setting->positional || &value == router) continue;
    const ConfigEntry* const entry = find(*profile, value.setting->name);
    if (entry != nullptr) value = from_entry(*value.setting, *entry, Origin::profile, file);
  }
  return out;
}

base::Result<void> apply(const Resolved& resolved) {
  for (const SettingValue& value : resolved.values) {
    const OptionSpec& spec = value.setting->spec;
    base::Result<void> done;
    if (!spec.many && value.texts.size() > 1 && value.origin != Origin::command_line) {
      done = base::Error{"takes one value, not a list", "", base::Exit::usage};
    }
    for (const std::string& text : value.texts) {
      if (done.ok()) done = check_choice(spec, text);
      if (done.ok()) done = value.setting->apply(text, value.origin);
    }
    if (done.ok()) continue;
    base::Error error = std::move(done).error();
    error.what = fmt::format("{}: {}", value.where, error.what);
    return error;
  }
  return {};
}

std::string explain(const Resolved& resolved, const ConfigFile& file) {
  struct Row {
    std::string name, value, origin;
  };
  std::vector<Row> rows;
  std::size_t name_width = 0;
  std::size_t value_width = 0;
  for (const SettingValue& v : resolved.values) {
    const OptionSpec& spec = v.setting->spec;
    Row row{v.setting->title(), {}, {}};
    const bool is_switch = spec.value.empty() && spec.sources == Sources::all && !v.setting->positional;
    switch (v.origin) {
      case Origin::none:
        row.value = spec.secret || spec.default_text.empty() ? "-" : std::string(spec.default_text);
        row.origin = spec.secret ? "not set" : spec.default_text.empty() ? "not given" : "built-in default";
        break;
      case Origin::command_line:
        row.origin = "command line";
        break;
      case Origin::environment:
        row.origin = "environment " + v.setting->env;
        break;
      default:
        row.origin = fmt::format("{} {}", v.origin == Origin::profile ? "profile" : "defaults",
                                 v.where.substr(0, v.where.rfind(": ")));
    }
    if (v.origin != Origin::none) {
      row.value = spec.secret ? "set" : fmt::format("{}", fmt::join(v.texts, " "));
      if (is_switch && row.value == "true") row.value = "yes";
    }
    name_width = std::max(name_width, row.name.size());
    value_width = std::max(value_width, std::min<std::size_t>(row.value.size(), 32));
    rows.push_back(std::move(row));
  }
  std::string out = file.path().empty() ? "configuration file: none\n"
                                        : fmt::format("configuration file: {}\n", file.path());
  out += fmt::format("profile: {}\n", resolved.profile.empty() ? "none" : resolved.profile);
  for (const Row& row : rows)
    out += fmt::format("{:<{}}  {:<{}}  {}\n", row.name, name_width, row.value, value_width, row.origin);
  return out;
}

}  // namespace mikroscope::cli
