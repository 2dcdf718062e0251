#include "agent/sampler.h"

#include "base/clock.h"
#include "proc/self_columns.h"
#include "proc/tables.h"
#include "proc/timing_columns.h"

namespace mikroscope::agent {
namespace {

constexpr std::uint32_t kRetrySeconds = 60;
constexpr std::uint32_t kCheckEvery = 64;    // ticks between two readings of a file to its very end
constexpr std::uint32_t kSparseTiming = 16;  // ticks between two timed ones where the clock is a system call

// A clock without vDSO is a system call: 20 more of them in each tick would be a cost worth noticing.
bool clock_is_cheap() {
  constexpr int kReadings = 32;
  constexpr std::int64_t kCheap_ns = 250;
  const std::int64_t begin = base::monotonic_ns();
  for (int i = 0; i < kReadings; ++i) base::monotonic_ns();
  return (base::monotonic_ns() - begin) / (kReadings + 1) < kCheap_ns;
}

}  // namespace

std::uint32_t period_of(proc::Cadence& cadence, std::uint32_t rate_hz, std::uint32_t floor_hz) {
  if (cadence.max_hz == 0 && cadence.every_s == 0) return 1;
  if (floor_hz != 0) {
    cadence = {floor_hz < rate_hz ? floor_hz : 0, 0, "override"};
    if (cadence.max_hz == 0) return 1;
  }
  if (cadence.every_s != 0) return cadence.every_s * rate_hz;
  const std::uint32_t period = (rate_hz + cadence.max_hz / 2) / cadence.max_hz;
  // Never more often than max_hz allows.
  if (period * cadence.max_hz < rate_hz) return period + 1;
  return period == 0 ? 1 : period;
}

bool Sampler::start(const Config& config, const proc::Roots& roots, proc::Layout& layout, base::Arena& arena,
                    base::ReadBuffer buffer) {
  layout_ = &layout;
  arena_ = &arena;
  roots_ = roots;
  buffer_ = buffer;
  rate_hz_ = config.rate_hz;
  floor_hz_ = config.floor_hz;
  period_ns_ = base::kNsPerSecond / rate_hz_;
  time_each_ = clock_is_cheap();
  state_ = proc::make_state(arena, layout);
  sources_ = arena.make<SourceState>(kMaxSources);
  if (state_.values == nullptr || sources_ == nullptr) return false;
  self_.bind(layout, state_, proc::kSelfSchema);
  timing_.bind(layout, state_, proc::kTimingSchema);
  for (std::size_t g = 0; g < std::size(proc::kGroupNames); ++g) {
    group_key_[g] = layout.texts->intern(proc::kGroupNames[g]);
  }
  // By group, and within one in the order of the registry.
  for (std::size_t g = 0; g < std::size(proc::kGroupNames); ++g) {
    for (const proc::SourceDef* def : proc::all_sources()) {
      if (static_cast<std::size_t>(def->group) != g || !source_selected(config.sources, def->name)) continue;
      if (source_count_ == kMaxSources) return false;
      SourceState& s = sources_[source_count_];
      s.def = def;
      s.group = def->group;
      s.mandatory = def->name == "stat";
      s.source = def->make(arena);
      if (s.source == nullptr) return false;
      open_one(s);
      s.source->bind(layout, state_);
      s.phase = source_count_ * 7;
      s.countdown = s.phase % s.period_ticks;
      ++source_count_;
    }
  }
  return true;
}

void Sampler::open_one(SourceState& s) {
  s.status = s.source->open(roots_, *arena_, buffer_);
  s.cadence = s.source->cadence(s.def->cadence);
  s.period_ticks = period_of(s.cadence, rate_hz_, floor_hz_);
}

std::int64_t Sampler::read_one(SourceState& s, proc::Tick& tick, std::int64_t begin) {
  const bool timed = time_each_ || tick_index_ % kSparseTiming == 0;
  const proc::ReadStatus status = s.source->read(tick);
  std::int64_t end = begin;
  if (timed) {
    end = base::monotonic_ns();
    s.read_time.add(end - begin);
  }
  ++s.reads;
  switch (status) {
    case proc::ReadStatus::ok:
      s.failures_in_a_row = 0;
      break;
    case proc::ReadStatus::failed:
      ++s.failures;
      ++stats_.read_errors;
      ++s.failures_in_a_row;
      break;
    case proc::ReadStatus::absent:
    case proc::ReadStatus::forbidden:
      // It went away; the minute's retry finds it again.
      ++s.failures;
      ++stats_.read_errors;
      ++s.failures_in_a_row;
      s.status = status;
      break;
  }
  return end;
}

void Sampler::prime(const ClockReading& now, proc::EventSink* events) {
  proc::begin_tick(*layout_, state_, clock_.stamp(0, now));
  proc::Tick tick{*layout_, state_, buffer_, events, true, now.monotonic_ns + now.boot_offset_ns};
  for (std::uint32_t i = 0; i < source_count_; ++i) {
    if (sources_[i].open()) read_one(sources_[i], tick, base::monotonic_ns());
  }
  fill_own_tables(0, 0);
  clock_.move_on(now);
}

void Sampler::retry_absent() {
  // One source a tick, each once in kRetrySeconds, so that no tick pays for all of them.
  const std::uint64_t at = tick_index_ % (static_cast<std::uint64_t>(kRetrySeconds) * rate_hz_);
  if (at >= source_count_) return;
  SourceState& s = sources_[at];
  if (s.status == proc::ReadStatus::absent || s.status == proc::ReadStatus::forbidden ||
      s.status == proc::ReadStatus::failed) {
    open_one(s);
  }
}

// Counts down: a division for each source and tick is a call of a library function on 32-bit ARM.
bool Sampler::due(SourceState& s) {
  if (s.period_ticks == 1) return true;
  if (s.countdown != 0) {
    --s.countdown;
    return false;
  }
  s.countdown = s.period_ticks - 1;
  return true;
}

void Sampler::tick(std::uint64_t seq, const ClockReading& now, std::int64_t due_ns, std::uint64_t missed,
                   proc::EventSink* events) {
  ++stats_.ticks;
  stats_.missed += missed;
  proc::begin_tick(*layout_, state_, clock_.stamp(seq, now));
  proc::Tick tick{*layout_, state_, buffer_, events, false, state_.head.boot_ns};
  std::int64_t last = now.monotonic_ns;
  std::uint32_t i = 0;
  for (std::size_t g = 0; g < std::size(proc::kGroupNames); ++g) {
    stats_.group_offset_ns[g] = last - now.monotonic_ns;
    bool any = false;
    std::int64_t end = last;
    for (; i < source_count_ && static_cast<std::size_t>(sources_[i].group) == g; ++i) {
      SourceState& s = sources_[i];
      if (!s.open() && s.mandatory) {
        ++s.failures_in_a_row;
        if (tick_index_ % rate_hz_ == 0) open_one(s);
      }
      if (!s.open() || !due(s)) continue;
      tick.until_zero = (tick_index_ + s.phase) % kCheckEvery == 0;
      end = read_one(s, tick, end);
      any = true;
    }
    if (any && !time_each_) end = base::monotonic_ns();
    stats_.group_read_ns[g] = any ? end - last : 0;
    last = end;
  }
  retry_absent();
  const std::int64_t wake = now.monotonic_ns > due_ns ? now.monotonic_ns - due_ns : 0;
  stats_.wake.add(wake);
  stats_.read.add(last - now.monotonic_ns);
  if (last - due_ns > period_ns_) ++stats_.slipped;
  fill_own_tables(wake, last - now.monotonic_ns);
  clock_.move_on(now);
  ++tick_index_;
}

void Sampler::fill_own_tables(std::int64_t wake_ns, std::int64_t read_ns) {
  self_.single();
  self_.set(proc::kSelfMissed, stats_.missed);
  self_.set(proc::kSelfRowsRefused, layout_->rows_refused);
  self_.set(proc::kSelfReadErrors, stats_.read_errors);
  if (state_.head.seq == 0) return;  // sample 0 has no duration of its own
  self_.set_gauge(proc::kSelfWakeNs, wake_ns);
  self_.set_gauge(proc::kSelfReadNs, read_ns);
  for (std::size_t g = 0; g < std::size(proc::kGroupNames); ++g) {
    if (stats_.group_read_ns[g] == 0 || !timing_.row(group_key_[g])) continue;
    timing_.set_gauge(proc::kTimingOffsetNs, stats_.group_offset_ns[g]);
    timing_.set_gauge(proc::kTimingReadNs, stats_.group_read_ns[g]);
  }
}

std::string_view Sampler::fatal_source() const {
  for (std::uint32_t i = 0; i < source_count_; ++i) {
    const SourceState& s = sources_[i];
    if (s.mandatory && s.failures_in_a_row >= kFatalFailures) return s.def->name;
  }
  return {};
}

}  // namespace mikroscope::agent
