// Rates of the chosen interfaces, counters of all.
#include "routeros/tier/measurements.h"
#include "routeros/tier/menu.h"

namespace mikroscope::routeros {
namespace {

using model::EventBuilder;

struct Rate {
  std::string_view attribute;
  std::string_view field;
};
// Which losses a router tells differs between boards and kinds of interface.
constexpr Rate kRates[] = {{"rx-bits-per-second", "rx_bps"},
                           {"tx-bits-per-second", "tx_bps"},
                           {"rx-packets-per-second", "rx_pps"},
                           {"tx-packets-per-second", "tx_pps"},
                           {"rx-drops-per-second", "rx_drops"},
                           {"tx-drops-per-second", "tx_drops"},
                           {"tx-queue-drops-per-second", "tx_queue_drops"},
                           {"rx-errors-per-second", "rx_errors"},
                           {"tx-errors-per-second", "tx_errors"}};

void name_interfaces(const TierState& state, ApiCommand& command) {
  std::string names;
  for (const std::string& name : state.monitored) names += (names.empty() ? "" : ",") + name;
  command.attributes.push_back({"interface", std::move(names)});
  command.attributes.push_back({"once", ""});
}

void take_rates(const ApiResult& result, TierState& state, EventBuilder& out) {
  for (const Row& row : result.rows) {
    std::string_view name = row.text("name");
    if (name.empty() && state.monitored.size() == 1) name = state.monitored.front();
    if (name.empty()) continue;
    out.row(api_iface(), state.inventory.keys(name));
    for (const Rate& rate : kRates) put_integer(row, rate.attribute, rate.field, out);
  }
}

void take_counters(const ApiResult& result, TierState& state, EventBuilder&) {
  state.counters.add(result.rows);
}

// One command for all interfaces: each would cost the router as much as all. No list of attributes for
// counters: which ones there are differs between boards.
const TierMenu kMenus[] = {
    {.name = kMonitorTraffic,
     .path = "/interface/monitor-traffic",
     .wanted = [](const ApiTierOptions&, const TierState& state) { return !state.monitored.empty(); },
     .complete = name_interfaces,
     .take = take_rates},
    {.name = "counters",
     .path = "/interface/ethernet/print",
     .pace = Pace::counters,
     .mode = "stats",
     .take = take_counters},
    {.name = "interface-counters",
     .path = "/interface/print",
     .pace = Pace::counters,
     .mode = "stats-detail",
     .take = take_counters},
};

}  // namespace

std::span<const TierMenu> interface_menus() {
  return kMenus;
}

}  // namespace mikroscope::routeros
