#include "routeros/tier/rounds.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/clock.h"
#include "routeros/session/text.h"

namespace mikroscope::routeros {
namespace {

using model::Event;
using model::EventBuilder;

// A menu that hung is asked again after so long.
constexpr std::int64_t kHungNs = 60'000'000'000;
constexpr std::string_view kConnection = "connection";

const std::string& lost(const Answer<ApiResult>& answer) {
  return std::get<LostConnection>(answer.error()).what;
}

bool unanswered(const Answer<ApiResult>& answer) {
  return !answer.ok() && device_error(answer.error()) == nullptr;
}

}  // namespace

std::int64_t next_on_grid(std::int64_t due, std::int64_t every, std::int64_t now) {
  return now < due ? due : due + ((now - due) / every + 1) * every;
}

std::vector<Event> TierRounds::run(std::int64_t now_ns, std::int64_t wall_ns,
                                   const model::OriginPtr& origin) {
  Round round;
  round.now_ns = now_ns;
  round.wall_ns = wall_ns;
  round.origin = origin;
  book_.begin_round();
  ask(round);
  if (link_.interrupted()) return {};
  last_failed_ = book_.end_round();
  return finish(round);
}

void TierRounds::rebooted() {
  fast_path_.forget();
  state_.wants_reboot_log = true;
}

std::vector<std::string> TierRounds::left_alone() const {
  std::vector<std::string> all;
  for (const auto& [menu, how] : left_alone_) all.push_back(fmt::format("{}: {}", menu, how.why));
  return all;
}

bool TierRounds::connect(Round& round) {
  const std::uint64_t before = link_.connects();
  switch (link_.connect(round.now_ns)) {
    case TierLink::Dial::waiting:
      return false;
    case TierLink::Dial::failed: {
      if (link_.interrupted()) return false;
      const base::Error& why = link_.why();
      book_.failed(kConnection, why.what);
      if (dial_told_ != why.exit)
        book_.say(fmt::format("not connected, will keep trying{}{}", why.fix.empty() ? "" : "; ", why.fix));
      dial_told_ = why.exit;
      return false;
    }
    case TierLink::Dial::connected:
      break;
  }
  if (link_.connects() == before) return true;
  dial_told_.reset();
  if (before > 0) book_.say(fmt::format("reconnected ({} since start)", ++reconnects_));
  // It may be another router by now, or the same one with another version.
  ask_again(LeftAlone::Until::reconnect);
  labels_due_.reset();
  return true;
}

void TierRounds::ask_again(LeftAlone::Until until) {
  std::erase_if(left_alone_, [until](const auto& entry) {
    return entry.second.until == until ||
           (until == LeftAlone::Until::reconnect && entry.second.until == LeftAlone::Until::inventory);
  });
}

bool TierRounds::is_asked(const TierMenu& menu, std::int64_t now_ns) {
  const auto at = left_alone_.find(menu.name);
  if (at != left_alone_.end()) {
    if (at->second.until != LeftAlone::Until::time || now_ns < at->second.until_ns) return false;
    left_alone_.erase(at);
  }
  return menu.wanted == nullptr || menu.wanted(options_, state_);
}

EventBuilder& TierRounds::event(Round& round, Pace pace) {
  auto& builder = round.events[static_cast<std::size_t>(pace)];
  if (!builder) builder.emplace(model::EventKind::api, round.origin, round.wall_ns);
  return *builder;
}

void TierRounds::refused(Round& round, const TierMenu& menu, const DeviceError& error) {
  const std::string message = printable(error.message);
  if (error.no_such_command()) {
    left_alone_[std::string(menu.name)] = {LeftAlone::Until::reconnect, 0, message};
    book_.once(menu.name, message, "this router lacks it: it is left alone");
  } else if (error.not_permitted()) {
    left_alone_[std::string(menu.name)] = {LeftAlone::Until::inventory, 0, message};
    book_.once(menu.name, message,
               "the account's group lacks the policy read: give it in `/user/group` on the router");
  } else if (menu.name == kMonitorTraffic && !round.rates_refused) {
    round.rates_refused = message;  // mend_rates() sees to it
  } else {
    book_.failed(menu.name, message);
  }
}

bool TierRounds::settle(Round& round, const TierMenu& menu, const Answer<ApiResult>& answer) {
  if (unanswered(answer)) return false;
  ++commands_;
  if (!answer.ok()) {
    refused(round, menu, *device_error(answer.error()));
  } else if (menu.take != nullptr) {
    menu.take(*answer, state_, event(round, menu.pace));
  }
  return true;
}

// Commands run side by side, so when time is up, what is unanswered while others were answered is what hangs.
// As many as may run at once would have kept the others from being asked: then it is the router that hangs.
std::vector<Answer<ApiResult>> TierRounds::send(Round& round, const Menus& menus) {
  std::vector<ApiCommand> commands;
  for (const TierMenu* const menu : menus) commands.push_back(command_of(*menu, state_));
  const std::int64_t start = base::monotonic_ns();
  std::vector<Answer<ApiResult>> answers = link_.run(commands);
  const auto silent = static_cast<std::size_t>(std::count_if(answers.begin(), answers.end(), unanswered));
  const bool in_time = base::monotonic_ns() - start < link_.timeout_ns();
  if (link_.interrupted() || in_time || silent >= kMaxInFlight || silent == answers.size()) return answers;
  for (std::size_t i = 0; i < menus.size(); ++i) {
    if (!unanswered(answers[i])) continue;
    left_alone_[std::string(menus[i]->name)] = {LeftAlone::Until::time, round.now_ns + kHungNs,
                                                "no answer in time"};
    book_.once(menus[i]->name, "the router does not answer it", "it is left alone for a minute at a time");
  }
  return answers;
}

void TierRounds::run_menus(Round& round, const Menus& menus, bool again) {
  const std::vector<Answer<ApiResult>> answers = send(round, menus);
  if (link_.interrupted()) return;
  Menus repeated;
  std::vector<std::string> why;
  for (std::size_t i = 0; i < menus.size(); ++i) {
    if (settle(round, *menus[i], answers[i])) continue;
    if (again || left_alone_.contains(menus[i]->name)) {
      book_.failed(menus[i]->name, lost(answers[i]));
    } else {
      repeated.push_back(menus[i]);
      why.push_back(lost(answers[i]));
    }
  }
  if (repeated.empty()) return;
  if (connect(round)) read_inventory(round);
  if (link_.interrupted()) return;
  if (link_.connected()) return run_menus(round, repeated, true);
  for (std::size_t i = 0; i < repeated.size(); ++i) book_.failed(repeated[i]->name, why[i]);
}

void TierRounds::ask(Round& round) {
  if (!connect(round)) return;
  if (!labels_due_ || *labels_due_ <= round.now_ns) read_inventory(round);
  if (link_.interrupted()) return;
  std::array<bool, kPaces> now{};
  for (std::size_t i = 0; i < kPaces; ++i) {
    const std::int64_t every = pace_ns(static_cast<Pace>(i), options_);
    if (every <= 0 || (due_[i] && round.now_ns < *due_[i])) continue;
    now[i] = true;
    due_[i] = next_on_grid(due_[i].value_or(round.now_ns), every, round.now_ns);
  }
  Menus menus;
  for (const TierMenu* const menu : all_tier_menus()) {
    if (now[static_cast<std::size_t>(menu->pace)] && is_asked(*menu, round.now_ns)) menus.push_back(menu);
  }
  state_.counters.clear();
  run_menus(round, menus, false);
  if (round.rates_refused && !link_.interrupted()) mend_rates(round);
  if (std::exchange(state_.rebooted, false)) rebooted();
  if (state_.counters.now().empty()) return;
  EventBuilder& out = event(round, Pace::counters);
  state_.counters.write(state_.inventory, out);
  fast_path_.take(state_.counters.now(), state_.inventory, round.now_ns, out);
}

std::vector<Event> TierRounds::finish(Round& round) {
  std::vector<Event> out;
  const auto add = [&](std::optional<EventBuilder>& builder) {
    if (!builder || builder->empty()) return;
    Event event = builder->finish();
    const auto same = std::find_if(shapes_.begin(), shapes_.end(), [&](const model::ShapePtr& shape) {
      return shape->id() == event.shape->id();
    });
    if (same != shapes_.end()) {
      event.shape = *same;
    } else {
      shapes_.insert(shapes_.begin(), event.shape);
      if (shapes_.size() > 2 * kPaces) shapes_.pop_back();
    }
    out.push_back(std::move(event));
  };
  add(round.labels);
  for (auto& builder : round.events) add(builder);
  std::optional<EventBuilder> errors(std::in_place, model::EventKind::api, round.origin, round.wall_ns);
  if (book_.write(*errors)) add(errors);
  return out;
}

}  // namespace mikroscope::routeros
