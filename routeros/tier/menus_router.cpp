// The router itself: load, memory, cores, what its board measures, tracked connections, its log.
#include "routeros/session/text.h"
#include "routeros/session/value.h"
#include "routeros/tier/measurements.h"
#include "routeros/tier/menu.h"

namespace mikroscope::routeros {
namespace {

using model::EventBuilder;

// A clock that was read a little late makes an uptime seem to go back.
constexpr std::int64_t kSlackSeconds = 2;

void take_resource(const ApiResult& result, TierState& state, EventBuilder& out) {
  if (result.rows.empty()) return;
  const Row& row = result.rows.front();
  out.row(api_system());
  put_integer(row, "cpu-load", "cpu_load", out);
  put_integer(row, "free-memory", "free_memory", out);
  put_integer(row, "total-memory", "total_memory", out);
  put_integer(row, "free-hdd-space", "free_hdd", out);
  if (const auto uptime = parse_time(row.text("uptime"))) {
    const std::int64_t seconds = *uptime / 1'000'000'000;
    out.integer("uptime_s", seconds);
    state.rebooted = state.rebooted || (state.uptime_s && seconds + kSlackSeconds < *state.uptime_s);
    state.uptime_s = seconds;
  }
  if (const std::string_view version = row.text("version"); !version.empty())
    out.text("version", label_text(version));
}

void take_cores(const ApiResult& result, TierState&, EventBuilder& out) {
  for (const Row& row : result.rows) {
    std::string_view core = row.text("cpu");
    if (core.starts_with("cpu")) core.remove_prefix(3);
    const auto number = parse_count(core);
    if (!number) continue;
    out.row(api_core(), {std::to_string(*number)});
    for (const std::string_view name : {"load", "irq", "disk"}) put_integer(row, name, name, out);
  }
}

void put_health(std::string_view name, std::string_view value, EventBuilder& out) {
  const auto number = real_number(value);
  if (name.empty() || name.front() == '.' || !number) return;
  out.row(api_health(), {label_text(name)}).real("value", *number);
}

// A list of names and values; before version 7 one row with an attribute for each.
void take_health(const ApiResult& result, TierState&, EventBuilder& out) {
  for (const Row& row : result.rows) {
    if (row.find("name")) {
      put_health(row.text("name"), row.text("value"), out);
      continue;
    }
    for (const Attribute& attribute : row.attributes()) put_health(attribute.name, attribute.value, out);
  }
}

void take_conntrack(const ApiResult& result, TierState&, EventBuilder& out) {
  if (const auto entries = counted(result)) out.row(api_conntrack()).integer("entries", *entries);
}

bool tells_of_reboot(const Row& row) {
  if (row.text("topics").find("system") == std::string_view::npos) return false;
  const std::string_view message = row.text("message");
  return message.starts_with("router rebooted") || message.starts_with("router was rebooted") ||
         message.find("previous boot") != std::string_view::npos;
}

void take_log(const ApiResult& result, TierState& state, EventBuilder&) {
  state.reboot_log.emplace();
  state.wants_reboot_log = false;
  for (const Row& row : result.rows) {
    if (tells_of_reboot(row)) state.reboot_log->push_back(printable(row.text("message")));
  }
}

const TierMenu kMenus[] = {
    {.name = "resource",
     .path = "/system/resource/print",
     .proplist = "cpu-load,free-memory,total-memory,free-hdd-space,uptime,version",
     .take = take_resource},
    {.name = "resource/cpu",
     .path = "/system/resource/cpu/print",
     .proplist = "cpu,load,irq,disk",
     .take = take_cores},
    // No list of attributes: version 6 has one for each sensor.
    {.name = "health",
     .path = "/system/health/print",
     .wanted = [](const ApiTierOptions& options, const TierState&) { return options.health; },
     .take = take_health},
    {.name = "conntrack",
     .path = "/ip/firewall/connection/print",
     .pace = Pace::conntrack,
     .mode = "count-only",
     .take = take_conntrack},
    {.name = "log",
     .path = "/log/print",
     .wanted = [](const ApiTierOptions&, const TierState& state) { return state.wants_reboot_log; },
     .proplist = "topics,message",
     .query = "buffer=memory",
     .take = take_log},
};

}  // namespace

std::span<const TierMenu> router_menus() {
  return kMenus;
}

}  // namespace mikroscope::routeros
