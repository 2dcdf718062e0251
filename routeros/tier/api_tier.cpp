#include "routeros/tier/api_tier.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <mutex>

#include "base/clock.h"
#include "model/event_builder.h"
#include "routeros/session/text.h"
#include "routeros/tier/fast_path.h"
#include "routeros/tier/link.h"
#include "routeros/tier/measurements.h"
#include "routeros/tier/menu.h"
#include "routeros/tier/trouble_book.h"

namespace mikroscope::routeros {
namespace {

using model::Event;
using model::EventBuilder;

// A menu that hung is asked again after so long.
constexpr std::int64_t kHungNs = 60'000'000'000;
// A router that has just booted fills its menus bit by bit.
constexpr std::int64_t kYoungSeconds = 120;
constexpr std::int64_t kYoungLabelsNs = 10'000'000'000;
constexpr std::string_view kConnection = "connection";

// The next point of the grid from `due` on that lies after `now`: a late round does not shift the others.
std::int64_t after(std::int64_t due, std::int64_t every, std::int64_t now) {
  return now < due ? due : due + ((now - due) / every + 1) * every;
}

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

}  // namespace

struct ApiTier::Impl {
  // Of one call of round().
  struct Round {
    std::int64_t now_ns = 0;
    std::int64_t wall_ns = 0;
    std::array<std::optional<EventBuilder>, kPaces> events;
    std::optional<EventBuilder> labels;
    bool inventory_read = false;
    bool rates_refused = false;
    std::string rates_message;
  };
  struct LeftAlone {
    enum class Until : std::uint8_t { reconnect, inventory, time };
    Until until = Until::reconnect;
    std::int64_t until_ns = 0;
    std::string why;
  };

  Impl(ApiTarget target, ApiTierOptions with, model::OriginPtr whose, Note note)
      : options(std::move(with)), origin(std::move(whose)), link(std::move(target)), book(std::move(note)) {}

  void begin();
  void ask(Round& round);
  void end(std::int64_t start_ns);
  bool connect(Round& round);
  void read_inventory(Round& round);
  void choose_rates();
  void run(Round& round, const std::vector<const TierMenu*>& menus);
  void retry(Round& round, const std::vector<const TierMenu*>& menus, const std::vector<std::string>& why);
  // False: the session is gone, and nothing was recorded.
  bool settle(Round& round, const TierMenu& menu, const Answer<ApiResult>& answer);
  void refused(Round& round, const TierMenu& menu, const DeviceError& error);
  void find_refused_rates(Round& round);
  // The session was lost over this one alone, which began at `start_ns`: was it for want of an answer?
  void note_hang(Round& round, const TierMenu& menu, const Answer<ApiResult>& answer, std::int64_t start_ns);
  void ask_again(LeftAlone::Until until);
  bool asked(const TierMenu& menu, std::int64_t now_ns);
  EventBuilder& event(Round& round, Pace pace) {
    auto& builder = round.events[static_cast<std::size_t>(pace)];
    if (!builder) builder.emplace(model::EventKind::api, origin, round.wall_ns);
    return *builder;
  }
  std::vector<Event> finish(Round& round);

  ApiTierOptions options;
  model::OriginPtr origin;
  TierLink link;
  TroubleBook book;
  TierState state;
  FastPath fast_path;
  TierCounts counts;
  std::map<std::string, LeftAlone, std::less<>> left_alone;
  std::vector<model::ShapePtr> shapes;  // of late: equal ones are shared
  std::optional<std::int64_t> round_due;
  std::array<std::optional<std::int64_t>, kPaces> due;
  std::optional<std::int64_t> labels_due;
  std::optional<base::Exit> dial_told;  // what the last line about dials was of
  bool inventory_lost = false;          // the session was lost over the last reading of the inventory

  // What other threads touch.
  mutable std::mutex lock;
  PortMap ports;
  TierCounts told;
  model::OriginPtr next_origin;
  std::optional<std::vector<std::string>> reboot_log;
  std::atomic<bool> reboot_seen{false};
};

bool ApiTier::Impl::connect(Round& round) {
  const std::uint64_t before = link.connects();
  switch (link.connect(round.now_ns)) {
    case TierLink::Dial::waiting:
      return false;
    case TierLink::Dial::failed: {
      if (link.interrupted()) return false;
      const base::Error& why = link.why();
      // Said by failed() when the round before was well; here when it is another kind of trouble.
      book.failed(kConnection, why.what);
      if (dial_told != why.exit)
        book.say(fmt::format("not connected, will keep trying{}{}", why.fix.empty() ? "" : ": ", why.fix));
      dial_told = why.exit;
      return false;
    }
    case TierLink::Dial::connected:
      break;
  }
  if (link.connects() == before) return true;
  dial_told.reset();
  if (before > 0) {
    ++counts.reconnects;
    book.say(fmt::format("reconnected ({} since start)", counts.reconnects));
  }
  // It may be another router by now, or the same one with another version.
  ask_again(LeftAlone::Until::reconnect);
  labels_due.reset();
  return true;
}

void ApiTier::Impl::ask_again(LeftAlone::Until until) {
  std::erase_if(left_alone, [until](const auto& entry) {
    return entry.second.until == until ||
           (until == LeftAlone::Until::reconnect && entry.second.until == LeftAlone::Until::inventory);
  });
}

bool ApiTier::Impl::asked(const TierMenu& menu, std::int64_t now_ns) {
  const auto at = left_alone.find(menu.name);
  if (at != left_alone.end()) {
    if (at->second.until != LeftAlone::Until::time || now_ns < at->second.until_ns) return false;
    left_alone.erase(at);
  }
  return menu.wanted == nullptr || menu.wanted(options, state);
}

void ApiTier::Impl::refused(Round& round, const TierMenu& menu, const DeviceError& error) {
  if (error.no_such_command()) {
    left_alone[std::string(menu.name)] = {LeftAlone::Until::reconnect, 0, printable(error.message)};
    book.once(menu.name, error.message, "this router lacks it: it is left alone");
  } else if (error.not_permitted()) {
    left_alone[std::string(menu.name)] = {LeftAlone::Until::inventory, 0, printable(error.message)};
    book.once(
        menu.name, error.message,
        "the account's group lacks the policy read: `/user/group/set [find name=GROUP] policy=read,api` "
        "on the router");
  } else if (menu.name == kMonitorTraffic && !round.rates_refused) {
    round.rates_refused = true;
    round.rates_message = error.message;
  } else {
    book.failed(menu.name, error.message);
  }
}

bool ApiTier::Impl::settle(Round& round, const TierMenu& menu, const Answer<ApiResult>& answer) {
  if (answer.ok()) {
    ++counts.commands;
    if (menu.take != nullptr) menu.take(*answer, state, event(round, menu.pace));
    return true;
  }
  const DeviceError* const error = device_error(answer.error());
  if (error == nullptr) return false;
  ++counts.commands;
  refused(round, menu, *error);
  return true;
}

void ApiTier::Impl::read_inventory(Round& round) {
  std::vector<ApiCommand> commands;
  std::vector<const TierMenu*> asked_menus;
  for (const TierMenu& menu : kInventory) {
    if (!asked(menu, round.now_ns)) continue;
    asked_menus.push_back(&menu);
    commands.push_back(command_of(menu, state));
  }
  // Once it went wrong they run one by one, so that the one that hangs shows.
  std::vector<Answer<ApiResult>> answers;
  if (!inventory_lost) answers = link.run(commands);
  while (answers.size() < commands.size()) {
    const std::int64_t start = base::monotonic_ns();
    const bool alive = link.connected();
    answers.push_back(link.run(commands[answers.size()]));
    if (alive && !link.connected()) note_hang(round, *asked_menus[answers.size() - 1], answers.back(), start);
  }
  if (link.interrupted()) return;
  round.inventory_read = true;
  inventory_lost = !link.connected();
  std::array<std::vector<Row>, std::size(kInventory)> rows;
  bool whole = false;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const TierMenu& menu = *asked_menus[i];
    if (settle(round, menu, answers[i])) {
      if (!answers[i].ok()) continue;
      rows[static_cast<std::size_t>(&menu - std::begin(kInventory))] = answers[i]->rows;
      whole = whole || &menu == std::begin(kInventory);
    } else {
      book.failed(menu.name, std::get<LostConnection>(answers[i].error()).what);
    }
  }
  // Without interfaces the old ones are better than none: asked again in the next round.
  if (!whole || rows[0].empty()) return;
  labels_due = options.labels_every_ns > 0 ? round.now_ns + options.labels_every_ns : INT64_MAX;
  if (state.uptime_s && *state.uptime_s < kYoungSeconds)
    labels_due = std::min(*labels_due, round.now_ns + kYoungLabelsNs);
  ask_again(LeftAlone::Until::inventory);
  state.inventory = make_inventory(rows[0], rows[1], rows[2], rows[3]);
  {
    const std::lock_guard hold(lock);
    ports.inventory(state.inventory);
  }
  choose_rates();
  round.labels.emplace(model::EventKind::api, origin, round.wall_ns);
  for (const InterfaceInfo& info : state.inventory.interfaces) {
    round.labels->row(api_ifinfo(), info.keys());
    if (!info.default_name.empty()) round.labels->text("default_name", info.default_name);
    if (info.mtu) round.labels->integer("mtu", *info.mtu);
    if (info.running) round.labels->boolean("running", *info.running);
    if (info.disabled) round.labels->boolean("disabled", *info.disabled);
  }
}

void ApiTier::Impl::choose_rates() {
  ChosenInterfaces chosen = choose_interfaces(options.interfaces, state.inventory);
  state.monitored = std::move(chosen.names);
  for (const std::string& name : chosen.unknown) {
    book.once(kMonitorTraffic, fmt::format("the router has no interface \"{}\" that could be asked", name),
              "the others are");
  }
}

void ApiTier::Impl::run(Round& round, const std::vector<const TierMenu*>& menus) {
  std::vector<ApiCommand> commands;
  for (const TierMenu* const menu : menus) commands.push_back(command_of(*menu, state));
  const std::vector<Answer<ApiResult>> answers = link.run(commands);
  if (link.interrupted()) return;
  std::vector<const TierMenu*> lost;
  std::vector<std::string> why;
  for (std::size_t i = 0; i < menus.size(); ++i) {
    if (settle(round, *menus[i], answers[i])) continue;
    lost.push_back(menus[i]);
    why.push_back(std::get<LostConnection>(answers[i].error()).what);
  }
  if (!lost.empty()) retry(round, lost, why);
}

// One by one, so that a menu that hangs or ends sessions shows, and costs the others no second time.
void ApiTier::Impl::retry(Round& round, const std::vector<const TierMenu*>& menus,
                          const std::vector<std::string>& why) {
  if (connect(round)) read_inventory(round);
  for (std::size_t i = 0; i < menus.size(); ++i) {
    const TierMenu& menu = *menus[i];
    if (!link.connected()) {
      book.failed(menu.name, why[i]);
      continue;
    }
    const std::int64_t start = base::monotonic_ns();
    const Answer<ApiResult> answer = link.run(command_of(menu, state));
    if (link.interrupted()) return;
    if (settle(round, menu, answer)) continue;
    book.failed(menu.name, std::get<LostConnection>(answer.error()).what);
    note_hang(round, menu, answer, start);
  }
}

void ApiTier::Impl::note_hang(Round& round, const TierMenu& menu, const Answer<ApiResult>& answer,
                              std::int64_t start_ns) {
  if (answer.ok() || link.interrupted() || base::monotonic_ns() - start_ns < link.timeout_ns()) return;
  left_alone[std::string(menu.name)] = {LeftAlone::Until::time, round.now_ns + kHungNs,
                                        std::get<LostConnection>(answer.error()).what};
  book.once(menu.name, "the router does not answer it", "it is left alone for a minute at a time");
}

// The names are the router's own, and still it refused: which one it is shows one by one.
void ApiTier::Impl::find_refused_rates(Round& round) {
  const TierMenu* menu = nullptr;
  for (const TierMenu* const one : all_tier_menus()) {
    if (one->name == kMonitorTraffic) menu = one;
  }
  if (!round.inventory_read) {
    read_inventory(round);
    if (!link.connected() || state.monitored.empty()) return;
    const Answer<ApiResult> again = link.run(command_of(*menu, state));
    if (again.ok()) {
      (void)settle(round, *menu, again);
      return;
    }
  }
  const std::vector<std::string> names = std::exchange(state.monitored, {});
  std::vector<std::string> good;
  for (const std::string& name : names) {
    if (!link.connected()) break;
    state.monitored = {name};
    const Answer<ApiResult> answer = link.run(command_of(*menu, state));
    if (link.interrupted()) return;
    if (answer.ok()) {
      (void)settle(round, *menu, answer);
      good.push_back(name);
    } else if (const DeviceError* const error = device_error(answer.error())) {
      book.once(menu->name, fmt::format("{}: {}", label_text(name), error->message),
                "its rates are not asked until the interfaces are read again");
    }
  }
  state.monitored = std::move(good);
  if (state.monitored.empty()) book.failed(menu->name, round.rates_message);
}

void ApiTier::Impl::ask(Round& round) {
  if (!connect(round)) return;
  if (!labels_due || *labels_due <= round.now_ns) read_inventory(round);
  std::array<bool, kPaces> now{};
  for (std::size_t i = 0; i < kPaces; ++i) {
    const std::int64_t every = pace_ns(static_cast<Pace>(i), options);
    if (every <= 0 || (due[i] && round.now_ns < *due[i])) continue;
    now[i] = true;
    due[i] = after(due[i].value_or(round.now_ns), every, round.now_ns);
  }
  std::vector<const TierMenu*> menus;
  for (const TierMenu* const menu : all_tier_menus()) {
    if (now[static_cast<std::size_t>(menu->pace)] && asked(*menu, round.now_ns)) menus.push_back(menu);
  }
  state.counters.clear();
  run(round, menus);
  if (round.rates_refused && link.connected()) find_refused_rates(round);
  if (std::exchange(state.rebooted, false)) {
    fast_path.forget();
    state.wants_reboot_log = true;
  }
  if (!state.counters.now().empty()) {
    EventBuilder& out = event(round, Pace::counters);
    state.counters.write(state.inventory, out);
    fast_path.take(state.counters.now(), state.inventory, round.now_ns, out);
  }
}

std::vector<Event> ApiTier::Impl::finish(Round& round) {
  std::vector<Event> out;
  const auto add = [&](std::optional<EventBuilder>& builder) {
    if (!builder || builder->empty()) return;
    Event event = builder->finish();
    const auto same = std::find_if(shapes.begin(), shapes.end(), [&](const model::ShapePtr& shape) {
      return shape->id() == event.shape->id();
    });
    if (same != shapes.end()) {
      event.shape = *same;
    } else {
      shapes.insert(shapes.begin(), event.shape);
      if (shapes.size() > 2 * kPaces) shapes.pop_back();
    }
    out.push_back(std::move(event));
  };
  add(round.labels);
  for (auto& builder : round.events) add(builder);
  std::optional<EventBuilder> errors(std::in_place, model::EventKind::api, origin, round.wall_ns);
  if (book.write(*errors)) add(errors);
  return out;
}

void ApiTier::Impl::begin() {
  ++counts.rounds;
  book.begin_round();
  if (reboot_seen.exchange(false)) {
    state.wants_reboot_log = true;
    fast_path.forget();
  }
  const std::lock_guard hold(lock);
  if (next_origin != nullptr) origin = std::exchange(next_origin, nullptr);
}

void ApiTier::Impl::end(std::int64_t start_ns) {
  if (book.end_round()) ++counts.failed_rounds;
  counts.last_round_ns = base::monotonic_ns() - start_ns;
  counts.failed_commands = book.failed_commands();
  counts.connects = link.connects();
  counts.failed_dials = link.failed_dials();
  counts.connected = link.connected();
  counts.left_alone.clear();
  for (const auto& [menu, how] : left_alone)
    counts.left_alone.push_back(fmt::format("{}: {}", menu, how.why));
  const std::lock_guard hold(lock);
  told = counts;
  if (state.reboot_log) reboot_log = std::exchange(state.reboot_log, std::nullopt);
}

ApiTier::ApiTier(ApiTarget target, ApiTierOptions options, model::OriginPtr origin, Note note)
    : impl_(std::make_unique<Impl>(std::move(target), std::move(options), std::move(origin),
                                   std::move(note))) {}

ApiTier::~ApiTier() = default;

void ApiTier::set_origin(model::OriginPtr origin) {
  const std::lock_guard hold(impl_->lock);
  impl_->next_origin = std::move(origin);
}

std::vector<Event> ApiTier::round(std::int64_t monotonic_now_ns, std::int64_t wall_now_ns) {
  Impl& own = *impl_;
  if (own.options.off() || own.link.interrupted()) return {};
  if (own.round_due && monotonic_now_ns < *own.round_due) return {};
  own.round_due = after(own.round_due.value_or(monotonic_now_ns), own.options.every_ns, monotonic_now_ns);
  if (own.link.waits(monotonic_now_ns)) return {};
  const std::int64_t start = base::monotonic_ns();
  Impl::Round round;
  round.now_ns = monotonic_now_ns;
  round.wall_ns = wall_now_ns;
  own.begin();
  own.ask(round);
  if (own.link.interrupted()) return {};
  own.end(start);
  return own.finish(round);
}

std::int64_t ApiTier::next_due_ns() const {
  if (impl_->options.off() || impl_->link.interrupted()) return INT64_MAX;
  return impl_->round_due.value_or(0);
}

void ApiTier::reboot_seen() {
  impl_->reboot_seen = true;
}

std::optional<std::vector<std::string>> ApiTier::take_reboot_log() {
  const std::lock_guard hold(impl_->lock);
  return std::exchange(impl_->reboot_log, std::nullopt);
}

void ApiTier::log_record(std::string_view kernel_port, std::string_view message) {
  const std::lock_guard hold(impl_->lock);
  impl_->ports.log_record(kernel_port, message);
}

std::optional<PortLabel> ApiTier::find_port(std::string_view kernel_port) const {
  const std::lock_guard hold(impl_->lock);
  return impl_->ports.find(kernel_port);
}

std::string ApiTier::ports_from() const {
  const std::lock_guard hold(impl_->lock);
  return impl_->ports.ports_from();
}

TierCounts ApiTier::counts() const {
  const std::lock_guard hold(impl_->lock);
  return impl_->told;
}

void ApiTier::interrupt() {
  impl_->link.interrupt();
}

}  // namespace mikroscope::routeros
