// Rounds: the interfaces of the router, and whose rates are asked.
#include <fmt/format.h>

#include <algorithm>

#include "routeros/session/text.h"
#include "routeros/tier/measurements.h"
#include "routeros/tier/rounds.h"

namespace mikroscope::routeros {
namespace {

// A router that has just booted fills its menus bit by bit.
constexpr std::int64_t kYoungSeconds = 120;
constexpr std::int64_t kSoonNs = 10'000'000'000;

constexpr TierMenu kInventory[] = {
    {.name = "inventory",
     .path = "/interface/print",
     .proplist = "name,default-name,type,comment,actual-mtu,running,disabled"},
    {.name = "inventory/lists",
     .path = "/interface/list/member/print",
     .proplist = "list,interface,disabled"},
    {.name = "inventory/bridges",
     .path = "/interface/bridge/port/print",
     .proplist = "interface,bridge,disabled"},
    {.name = "inventory/ports",
     .path = "/interface/ethernet/print",
     .proplist = "name,default-name,mac-address,orig-mac-address"},
};

const TierMenu& rates_menu() {
  const auto& all = all_tier_menus();
  return **std::find_if(all.begin(), all.end(), [](const TierMenu* m) { return m->name == kMonitorTraffic; });
}

}  // namespace

void TierRounds::read_inventory(Round& round) {
  Menus menus;
  for (const TierMenu& menu : kInventory) {
    if (is_asked(menu, round.now_ns)) menus.push_back(&menu);
  }
  const std::vector<Answer<ApiResult>> answers = send(round, menus);
  if (link_.interrupted()) return;
  round.inventory_read = true;
  std::array<std::vector<Row>, std::size(kInventory)> rows;
  for (std::size_t i = 0; i < menus.size(); ++i) {
    if (!settle(round, *menus[i], answers[i])) {
      book_.failed(menus[i]->name, std::get<LostConnection>(answers[i].error()).what);
    } else if (answers[i].ok()) {
      rows[static_cast<std::size_t>(menus[i] - std::begin(kInventory))] = answers[i]->rows;
    }
  }
  // Without interfaces the old ones are better than none: asked again in the next round.
  if (rows[0].empty()) return;
  labels_due_ = options_.labels_every_ns > 0 ? round.now_ns + options_.labels_every_ns : INT64_MAX;
  if (state_.uptime_s && *state_.uptime_s < kYoungSeconds)
    labels_due_ = std::min(*labels_due_, round.now_ns + kSoonNs);
  ask_again(LeftAlone::Until::inventory);
  state_.inventory = make_inventory(rows[0], rows[1], rows[2], rows[3]);
  state_.inventory_is_new = true;
  choose_rates();
  round.labels.emplace(model::EventKind::api, round.origin, round.wall_ns);
  for (const InterfaceInfo& info : state_.inventory.interfaces) {
    round.labels->row(api_ifinfo(), info.keys());
    if (!info.default_name.empty()) round.labels->text("default_name", info.default_name);
    if (info.mtu) round.labels->integer("mtu", *info.mtu);
    if (info.running) round.labels->boolean("running", *info.running);
    if (info.disabled) round.labels->boolean("disabled", *info.disabled);
  }
}

void TierRounds::choose_rates() {
  ChosenInterfaces chosen = choose_interfaces(options_.interfaces, state_.inventory);
  state_.monitored = std::move(chosen.names);
  for (const std::string& name : chosen.unknown) {
    book_.once(kMonitorTraffic,
               fmt::format("the router has no interface \"{}\" that could be asked", printable(name)),
               "the others are");
  }
}

// All rates come of one command, so one name that the router does not know loses all. An interface may have
// gone since the inventory was read.
void TierRounds::mend_rates(Round& round) {
  const bool soon = rates_mended_ns_ && round.now_ns - *rates_mended_ns_ < kSoonNs;
  if (soon || !link_.connected()) return book_.failed(kMonitorTraffic, *round.rates_refused);
  rates_mended_ns_ = round.now_ns;
  if (!round.inventory_read) {
    read_inventory(round);
    if (!link_.connected() || state_.monitored.empty()) return;
    const Answer<ApiResult> again = link_.run(command_of(rates_menu(), state_));
    if (again.ok()) return (void)settle(round, rates_menu(), again);
  }
  try_rates(round);
}

// The names are the router's own, and still it refused: which one it is shows one by one.
void TierRounds::try_rates(Round& round) {
  const std::vector<std::string> names = state_.monitored;
  std::vector<std::string> good;
  std::vector<std::string> bad;
  for (const std::string& name : names) {
    if (!link_.connected()) break;
    state_.monitored = {name};
    const Answer<ApiResult> answer = link_.run(command_of(rates_menu(), state_));
    if (link_.interrupted()) return;
    if (answer.ok()) {
      (void)settle(round, rates_menu(), answer);
      good.push_back(name);
    } else if (const DeviceError* const error = device_error(answer.error())) {
      bad.push_back(fmt::format("{}: {}", label_text(name), error->message));
    }
  }
  if (good.empty() || !link_.connected()) {
    state_.monitored = names;
    return book_.failed(kMonitorTraffic, *round.rates_refused);
  }
  state_.monitored = std::move(good);
  for (const std::string& line : bad)
    book_.once(kMonitorTraffic, line, "its rates are not asked until the interfaces are read again");
}

}  // namespace mikroscope::routeros
