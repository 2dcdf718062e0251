#include "agent/config.h"

#include <cstdlib>

#include "agent/address.h"
#include "agent/triggers.h"
#include "base/text.h"
#include "proc/source.h"

namespace mikroscope::agent {
namespace {

constexpr Setting number(std::string_view name, std::string_view fallback, std::uint32_t low,
                         std::uint32_t high, std::uint32_t Config::*member, proc::HelpText help) {
  return {name, SettingKind::number, fallback, low, high, {}, help, member, nullptr};
}

constexpr Setting text(std::string_view name, SettingKind kind, std::string_view fallback,
                       std::string_view want, std::string_view Config::*member, proc::HelpText help) {
  return {name, kind, fallback, 0, 0, want, help, nullptr, member};
}

constexpr Setting kSettings[] = {
    number("RATE_HZ", "10", 1, 100, &Config::rate_hz, "samples a second"),
    number("BUFFER_S", "60", 10, 86400, &Config::buffer_s, "seconds of samples that the ring holds"),
    number("PORT", "9123", 1, 65535, &Config::port, "TCP port"),
    text("ADDR", SettingKind::address, "", "an IPv4 or IPv6 address", &Config::addr,
         "address to listen on; empty: every address"),
    text("TOKEN", SettingKind::secret, "", "up to 256 printable characters without blanks", &Config::token,
         "asked for as 'Authorization: Bearer TOKEN'; empty: none is asked for"),
    text("SOURCES", SettingKind::sources, "", "a comma-separated list of source names", &Config::sources,
         "sources to read; empty: all that this kernel has"),
    text("TRIGGERS", SettingKind::triggers, kDefaultTriggers, "a comma-separated list of conditions, or none",
         &Config::triggers, "conditions that mark the stream and start a capture"),
    number("CAPTURE_MB", "4", 0, 256, &Config::capture_mb, "memory for captures in MiB; 0: markers only"),
    number("CAPTURE_PRE_S", "5", 1, 60, &Config::capture_pre_s, "seconds kept from before a trigger"),
    number("CAPTURE_POST_S", "5", 1, 60, &Config::capture_post_s, "seconds kept after a trigger"),
    text("CAPTURE_POLICY", SettingKind::choice, "first", "first or last", &Config::capture_policy,
         "when the memory is full, keep the first captures or the last"),
    number("TRIGGER_REFRACTORY_S", "10", 0, 3600, &Config::trigger_refractory_s,
           "a condition fires at most once in so many seconds"),
    number("FLOOR_HZ", "0", 0, 1000, &Config::floor_hz,
           "reads slow sources so often instead of at their own cadence; 0: their own"),
    number("SUBTICK", "0", 0, 10, &Config::subtick,
           "reads stat and softnet so many times a period, for the extremes within it; 0 or 1: off"),
    text("PROC_ROOT", SettingKind::path, "/proc", "an absolute path of at most 200 bytes", &Config::proc_root,
         "the proc file system to read"),
    text("SYS_ROOT", SettingKind::path, "/sys", "an absolute path of at most 200 bytes", &Config::sys_root,
         "the sysfs to read"),
    text("MIKROSCOPE_TAG", SettingKind::text, "", "any text", &Config::tag,
         "marks a container as installed by mikroscope; the agent ignores it"),
};

constexpr std::size_t kMaxToken = 256;
constexpr std::size_t kMaxRoot = 200;

void complain(const Setting& setting, std::string_view value, base::Writer& error) {
  error.put(setting.name);
  error.put("=");
  if (setting.kind == SettingKind::secret) {
    error.put("(not shown)");
  } else {
    error.json_string(value);
  }
  error.put(": want ");
  if (setting.kind == SettingKind::number) {
    error.print("an integer in %u..%u", setting.low, setting.high);
  } else {
    error.put(setting.want);
  }
}

bool is_token(std::string_view value) {
  if (value.size() > kMaxToken) return false;
  for (const char c : value) {
    if (c <= ' ' || c > '~') return false;
  }
  return true;
}

bool check_sources(std::string_view list, base::Writer& error) {
  std::string_view rest = list;
  std::string_view name;
  bool any = false;
  while (next_item(rest, name)) {
    any = true;
    if (proc::find_source(name) != nullptr) continue;
    error.print("SOURCES=%j: unknown source %j; known:", list, name);
    for (const proc::SourceDef* source : proc::all_sources()) {
      error.put(' ');
      error.put(source->name);
    }
    return false;
  }
  if (!any) error.put("SOURCES: the list names no source; leave the variable unset to read all");
  return any;
}

bool check_triggers(std::string_view list, base::Writer& error) {
  error.print("TRIGGERS=%j: ", list);
  TriggerSet set;
  if (!parse_triggers(list, set, error)) return false;
  error.rewind(0);
  return true;
}

bool take(const Setting& setting, std::string_view value, bool given, Config& out, base::Writer& error) {
  if (setting.number != nullptr) {
    std::uint64_t parsed = 0;
    if (!base::parse_u64(value, parsed) || parsed < setting.low || parsed > setting.high) {
      complain(setting, value, error);
      return false;
    }
    out.*setting.number = static_cast<std::uint32_t>(parsed);
    return true;
  }
  out.*setting.text = value;
  if (!given) return true;
  bool good = true;
  switch (setting.kind) {
    case SettingKind::choice:
      good = value == "first" || value == "last";
      break;
    case SettingKind::address: {
      Address parsed;
      good = parse_address(value, parsed);
      break;
    }
    case SettingKind::secret:
      good = is_token(value);
      break;
    case SettingKind::path:
      good = value.front() == '/' && value.size() <= kMaxRoot;
      break;
    case SettingKind::sources:
      return check_sources(value, error);
    case SettingKind::triggers:
      return check_triggers(value, error);
    case SettingKind::number:
    case SettingKind::text:
      break;
  }
  if (!good) complain(setting, value, error);
  return good;
}

// What no single variable can say.
bool check_together(const Config& config, base::Writer& error) {
  if (config.capture_mb != 0 && config.capture_pre_s >= config.buffer_s) {
    error.print("CAPTURE_PRE_S=%u: want less than BUFFER_S, which is %u", config.capture_pre_s,
                config.buffer_s);
    return false;
  }
  return true;
}

}  // namespace

std::span<const Setting> all_settings() {
  return kSettings;
}

bool next_item(std::string_view& list, std::string_view& item) {
  while (!list.empty()) {
    const std::size_t comma = list.find(',');
    item = base::trim(list.substr(0, comma));
    list.remove_prefix(comma == std::string_view::npos ? list.size() : comma + 1);
    if (!item.empty()) return true;
  }
  return false;
}

bool source_selected(std::string_view list, std::string_view name) {
  if (list.empty()) return true;
  std::string_view item;
  while (next_item(list, item)) {
    if (item == name) return true;
  }
  return false;
}

bool parse_config(Lookup lookup, void* context, Config& out, base::Writer& error) {
  for (const Setting& setting : kSettings) {
    const char* const found = lookup(context, setting.name.data());
    const bool given = found != nullptr && *found != '\0';
    if (!take(setting, given ? std::string_view(found) : std::string_view(setting.fallback), given, out,
              error))
      return false;
  }
  return check_together(out, error);
}

bool parse_environment(Config& out, base::Writer& error) {
  return parse_config([](void*, const char* name) -> const char* { return std::getenv(name); }, nullptr, out,
                      error);
}

void write_settings_help(base::Writer& out) {
  for (const Setting& setting : kSettings) {
    out.print("  %s", setting.name);
    out.pad(setting.name.size(), 22);
    out.print("%s [", setting.help);
    if (setting.number != nullptr) {
      out.print("%u..%u", setting.low, setting.high);
    } else {
      out.put(setting.want);
    }
    if (!setting.fallback.empty()) out.print(", default %s", setting.fallback);
    out.put("]\n");
  }
}

}  // namespace mikroscope::agent
