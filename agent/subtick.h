// Extremes within a tick: reads /proc/stat and softnet_stat several times a period and keeps the least and
// the most of what each part of it saw, so that a burst of a few milliseconds shows at the price of a slow
// rate.
#pragma once

#include <cstdint>

#include "agent/config.h"
#include "agent/triggers.h"
#include "base/arena.h"
#include "proc/source.h"

namespace mikroscope::agent {

class SubtickReader {
 public:
  SubtickReader() = default;
  // Opens the two files a second time, with tables of their own. False: no memory.
  bool start(const Config& config, const proc::Roots& roots, base::Arena& arena, base::ReadBuffer buffer,
             const proc::Machine& machine);
  bool on() const { return parts_ > 1; }
  std::uint32_t parts() const { return parts_; }

  // Reads once; `monotonic_ns` is now.
  void read(std::int64_t monotonic_ns);
  // Writes the extremes since the last call into the table subtick of a sample, and begins again.
  void flush(proc::Layout& layout, proc::State& state);

 private:
  enum Measure : std::uint32_t { kBusy, kProcessed, kDropped, kSqueezed, kMeasures };
  struct Extremes {
    std::uint64_t least[kMeasures];
    std::uint64_t most[kMeasures];
    std::uint64_t last[kMeasures];
    std::uint32_t readings[kMeasures];
  };
  // The sum of these columns' differences since the last reading; false where none has one.
  bool sum(std::uint32_t table, std::uint32_t row, const int* columns, std::size_t count,
           std::uint64_t& out) const;
  void note(std::uint32_t table, std::uint32_t row, Measure measure, const int* columns, std::size_t count);
  void remember(std::uint32_t table);

  std::uint32_t parts_ = 0;
  base::ReadBuffer buffer_;
  proc::Texts texts_;
  proc::Layout layout_;
  proc::State now_;
  proc::State before_;
  proc::Source* sources_[2] = {};
  bool open_[2] = {};
  bool primed_ = false;
  std::int64_t first_ns_ = 0;  // of the readings since the last flush
  std::int64_t last_ns_ = 0;
  std::uint32_t readings_ = 0;
  Extremes* cpus_ = nullptr;
  std::uint32_t cpu_count_ = 0;
  std::uint32_t cpu_table_ = 0;
  std::uint32_t softnet_table_ = 0;
  int busy_[kBusyModeCount] = {};
  int softnet_[3] = {};
};

}  // namespace mikroscope::agent
