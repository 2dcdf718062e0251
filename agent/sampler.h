// Reads the sources of one tick in order, at their cadences, and accounts for what that took.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "agent/config.h"
#include "agent/histogram.h"
#include "agent/machine.h"
#include "agent/tick_clock.h"
#include "base/arena.h"
#include "proc/source.h"

namespace mikroscope::agent {

struct SourceState {
  // What every tick looks at comes first, together.
  proc::Source* source = nullptr;
  proc::ReadStatus status = proc::ReadStatus::absent;
  proc::Group group = proc::Group::counters;
  bool mandatory = false;
  std::uint32_t period_ticks = 1;
  std::uint32_t countdown = 0;  // ticks until it is due, where the period is longer than one
  std::uint32_t phase = 0;      // slow sources do not all fall on the same tick
  std::uint32_t failures_in_a_row = 0;
  std::uint64_t reads = 0;
  std::uint64_t failures = 0;
  const proc::SourceDef* def = nullptr;
  proc::Cadence cadence;
  Histogram read_time;

  bool open() const { return status == proc::ReadStatus::ok; }
};

// Every how many ticks a source with this cadence is read. FLOOR_HZ replaces cadences, and says so in
// `cadence`.
std::uint32_t period_of(proc::Cadence& cadence, std::uint32_t rate_hz, std::uint32_t floor_hz);

struct SamplerStats {
  std::uint64_t ticks = 0;
  std::uint64_t missed = 0;       // periods without a sample of their own
  std::uint64_t slipped = 0;      // ticks that ended after the next one was due
  std::uint64_t read_errors = 0;  // readings of a source that failed
  std::uint64_t clock_steps = 0;
  Histogram wake;                                                   // how late the loop woke
  Histogram read;                                                   // all reads of a tick
  std::int64_t group_offset_ns[std::size(proc::kGroupNames)] = {};  // of the last tick
  std::int64_t group_read_ns[std::size(proc::kGroupNames)] = {};
};

class Sampler {
 public:
  static constexpr std::uint32_t kMaxSources = 48;
  // So many failed readings of /proc/stat in a row end the process: what it serves would be no record of
  // anything.
  static constexpr std::uint32_t kFatalFailures = 50;

  Sampler() = default;
  // Opens the selected sources. The layout must hold every table. False: no memory.
  bool start(const Config& config, const proc::Roots& roots, proc::Layout& layout, base::Arena& arena,
             base::ReadBuffer buffer);

  // Reads everything that is open, whatever its cadence, as sample 0: the base of all differences.
  void prime(const ClockReading& now, proc::EventSink* events);
  // Reads what is due as sample `seq`. `due_ns`: when the tick should have come (monotonic). `missed`:
  // periods lost since the tick before.
  void tick(std::uint64_t seq, const ClockReading& now, std::int64_t due_ns, std::uint64_t missed,
            proc::EventSink* events);

  proc::State& state() { return state_; }
  const SamplerStats& stats() const { return stats_; }
  SamplerStats& stats() { return stats_; }
  std::span<const SourceState> sources() const { return {sources_, source_count_}; }
  std::int64_t period_ns() const { return period_ns_; }
  TickClock& clock() { return clock_; }
  // The name of a source that failed too often in a row to go on; empty: none.
  std::string_view fatal_source() const;

 private:
  // Returns the time after it; `begin` is the time before it, which is the time after the source before.
  std::int64_t read_one(SourceState& s, proc::Tick& tick, std::int64_t begin);
  static bool due(SourceState& s);
  void open_one(SourceState& s);
  void retry_absent();
  void fill_own_tables(std::int64_t wake_ns, std::int64_t read_ns);

  proc::Layout* layout_ = nullptr;
  base::Arena* arena_ = nullptr;
  proc::Roots roots_{{}, {}, {}, false};
  base::ReadBuffer buffer_;
  proc::State state_;
  SourceState* sources_ = nullptr;  // kMaxSources of them
  std::uint32_t source_count_ = 0;
  std::uint32_t rate_hz_ = 0;
  std::uint32_t floor_hz_ = 0;
  std::int64_t period_ns_ = 0;
  std::uint64_t tick_index_ = 0;
  bool time_each_ = false;  // the clock is cheap here (vDSO): every reading of every source is timed
  SamplerStats stats_;
  TickClock clock_;

  proc::TableWriter self_;  // tables that the agent fills itself
  proc::TableWriter timing_;
  proc::KeyPart group_key_[std::size(proc::kGroupNames)] = {};
};

}  // namespace mikroscope::agent
