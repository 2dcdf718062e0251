// One menu that the tier asks: the command, how often, and how its answer becomes rows. A menu is one entry
// of all_tier_menus().
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/event_builder.h"
#include "routeros/api/connection.h"
#include "routeros/tier/if_counters.h"
#include "routeros/tier/inventory.h"
#include "routeros/tier/options.h"

namespace mikroscope::routeros {

// Rows of one pace are one event, so that events of the same pace have the same rows.
enum class Pace : std::uint8_t { round, counters, conntrack, clients };
constexpr std::size_t kPaces = 4;
std::int64_t pace_ns(Pace pace, const ApiTierOptions& options);  // 0: never

// What menus know, and what they remember between rounds.
struct TierState {
  Inventory inventory;
  bool inventory_is_new = false;
  std::vector<std::string> monitored;  // whose rates are asked, as the router spells them
  IfCounters counters;
  std::set<std::string> ppp_services;  // ever seen: those without sessions have none, which is a 0
  std::set<std::pair<std::string, std::string>> radios;  // (system, interface)
  std::optional<std::int64_t> uptime_s;
  bool rebooted = false;  // uptime went back
  bool wants_reboot_log = false;
  std::optional<std::vector<std::string>> reboot_log;
};

struct TierMenu {
  std::string_view name;  // in errors, and the key `command` of api_error
  std::string_view path;
  Pace pace = Pace::round;
  bool (*wanted)(const ApiTierOptions& options, const TierState& state) = nullptr;  // null: always
  std::string_view proplist = {};                                                   // "": all
  std::string_view mode = {};   // stats, stats-detail, count-only
  std::string_view query = {};  // words without '?', with blanks between
  void (*complete)(const TierState& state, ApiCommand& command) = nullptr;
  void (*take)(const ApiResult& result, TierState& state, model::EventBuilder& out) = nullptr;
};

ApiCommand command_of(const TierMenu& menu, const TierState& state);

std::span<const TierMenu> router_menus();     // load, health, connections, the log
std::span<const TierMenu> interface_menus();  // rates and counters
std::span<const TierMenu> service_menus();    // queues, rules, clients, routes
// All of them, in the order in which they are asked.
const std::vector<const TierMenu*>& all_tier_menus();

inline constexpr std::string_view kMonitorTraffic = "monitor-traffic";

// Cells out of a row; what it does not have, or has in a spelling that is no number, stays absent. Percent
// signs are passed over.
std::optional<std::int64_t> whole_number(std::string_view text);
std::optional<double> real_number(std::string_view text);
void put_integer(const Row& row, std::string_view attribute, std::string_view field,
                 model::EventBuilder& out);
// The number of a count-only print, wherever the version puts it.
std::optional<std::int64_t> counted(const ApiResult& result);

}  // namespace mikroscope::routeros
