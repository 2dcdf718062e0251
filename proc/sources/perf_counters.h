// Counting events of perf_event_open(2) on one CPU, whatever runs there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/file.h"
#include "proc/schema.h"

namespace mikroscope::proc {

struct PerfEvent {
  [[no_unique_address]] TableText name;
  std::uint32_t type;    // PERF_TYPE_*
  std::uint64_t config;  // PERF_COUNT_*
  [[no_unique_address]] HelpText help;
};

constexpr std::size_t kMaxPerfEvents = 8;

struct PerfReading {
  bool present = false;
  std::uint64_t count = 0;
  std::uint64_t enabled_ns = 0;
  std::uint64_t running_ns = 0;
};

// Events are opened as one group where the hardware can count them together: then one read gives all, and one
// interrupt of the other CPU instead of one per event. An event that does not fit into the group counts
// alone; a group that never runs (someone else holds a counter) is opened again as single events, which the
// kernel rotates.
class PerfCounters {
 public:
  // Opens what it can of at most kMaxPerfEvents events, which live as long as this. 0 when any opened, else
  // the errno of the first.
  int open(int cpu, std::span<const PerfEvent> events);
  bool is_open() const { return opened_ != 0; }
  void close();

  // Fills out[i] for event i; what never opened is not present. False, and all is closed: the CPU went
  // offline, which detaches its counters for good, or a read failed.
  bool read(std::span<PerfReading> out);

 private:
  int open_all(bool grouped);
  bool read_group(std::size_t leader, std::span<PerfReading> out);

  int cpu_ = -1;
  std::span<const PerfEvent> events_;
  bool grouped_ = false;
  std::size_t opened_ = 0;
  base::Fd fd_[kMaxPerfEvents];
  std::uint8_t leader_[kMaxPerfEvents] = {};
  std::uint64_t enabled_before_[kMaxPerfEvents] = {};  // by leader
};

}  // namespace mikroscope::proc
