#include "routeros/tier/api_tier.h"

#include <atomic>
#include <mutex>

#include "base/clock.h"
#include "routeros/tier/rounds.h"

namespace mikroscope::routeros {

struct ApiTier::Impl {
  Impl(ApiTarget target, ApiTierOptions options, model::OriginPtr whose, Note note)
      : rounds(std::move(target), std::move(options), std::move(note)), origin(std::move(whose)) {}

  // Of the thread that calls round(); link().interrupt() alone is everybody's.
  TierRounds rounds;
  std::optional<std::int64_t> due;
  TierCounts counting;

  std::atomic<bool> reboot_seen{false};
  mutable std::mutex lock;
  // Under it.
  model::OriginPtr origin;
  PortMap ports;
  TierCounts counts;
  std::optional<std::vector<std::string>> reboot_log;
};

ApiTier::ApiTier(ApiTarget target, ApiTierOptions options, model::OriginPtr origin, Note note)
    : impl_(std::make_unique<Impl>(std::move(target), std::move(options), std::move(origin),
                                   std::move(note))) {}

ApiTier::~ApiTier() = default;

void ApiTier::set_origin(model::OriginPtr origin) {
  const std::lock_guard hold(impl_->lock);
  impl_->origin = std::move(origin);
}

std::vector<model::Event> ApiTier::round(std::int64_t monotonic_now_ns, std::int64_t wall_now_ns) {
  Impl& own = *impl_;
  TierRounds& rounds = own.rounds;
  if (rounds.options().off() || rounds.link().interrupted()) return {};
  if (own.due && monotonic_now_ns < *own.due) return {};
  own.due = next_on_grid(own.due.value_or(monotonic_now_ns), rounds.options().every_ns, monotonic_now_ns);
  if (rounds.link().waits(monotonic_now_ns)) return {};

  model::OriginPtr origin;
  {
    const std::lock_guard hold(own.lock);
    origin = own.origin;
  }
  if (own.reboot_seen.exchange(false)) rounds.rebooted();
  const std::int64_t start = base::monotonic_ns();
  std::vector<model::Event> events = rounds.run(monotonic_now_ns, wall_now_ns, origin);

  TierCounts& counts = own.counting;
  ++counts.rounds;
  counts.failed_rounds += rounds.last_failed() ? 1U : 0U;
  counts.last_round_ns = base::monotonic_ns() - start;
  counts.commands = rounds.commands();
  counts.failed_commands = rounds.book().failed_commands();
  counts.connects = rounds.link().connects();
  counts.reconnects = rounds.reconnects();
  counts.failed_dials = rounds.link().failed_dials();
  counts.connected = rounds.link().connected();
  counts.left_alone = rounds.left_alone();
  TierState& state = rounds.state();
  const std::lock_guard hold(own.lock);
  own.counts = counts;
  if (std::exchange(state.inventory_is_new, false)) own.ports.inventory(state.inventory);
  if (state.reboot_log) own.reboot_log = std::exchange(state.reboot_log, std::nullopt);
  return events;
}

std::int64_t ApiTier::next_due_ns() const {
  if (impl_->rounds.options().off() || impl_->rounds.link().interrupted()) return INT64_MAX;
  return impl_->due.value_or(0);
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
  return impl_->counts;
}

void ApiTier::interrupt() {
  impl_->rounds.link().interrupt();
}

}  // namespace mikroscope::routeros
