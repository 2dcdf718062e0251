// What the clocks said at a tick, and the stamps that a sample gets from it. Pure, so that steps can be
// tested.
#pragma once

#include <cstdint>

#include "proc/layout.h"

namespace mikroscope::agent {

struct ClockReading {
  std::int64_t monotonic_ns = 0;
  std::int64_t boot_offset_ns = 0;  // BOOTTIME - MONOTONIC; grows when the machine sleeps
  std::int64_t wall_ns = 0;
};

// A step of the wall clock larger than any slewing or delay between two readings: an event on the time line.
constexpr std::int64_t kWallStep_ns = 50'000'000;

class TickClock {
 public:
  // Intervals come from the monotonic clock alone; one that goes back gives an interval of 0.
  proc::TickHeader stamp(std::uint64_t seq, const ClockReading& now) const {
    proc::TickHeader head;
    head.seq = seq;
    head.boot_ns = now.monotonic_ns + now.boot_offset_ns;
    head.wall_ns = now.wall_ns;
    const std::int64_t dt = started_ ? now.monotonic_ns - last_.monotonic_ns : 0;
    head.dt_ns = dt > 0 ? dt : 0;
    return head;
  }
  // How far the wall clock jumped against the boot clock since the last reading; 0 below kWallStep_ns.
  std::int64_t wall_step(const ClockReading& now) const {
    if (!started_) return 0;
    const std::int64_t before = last_.wall_ns - last_.monotonic_ns - last_.boot_offset_ns;
    const std::int64_t after = now.wall_ns - now.monotonic_ns - now.boot_offset_ns;
    const std::int64_t step = after - before;
    return step >= kWallStep_ns || step <= -kWallStep_ns ? step : 0;
  }
  void move_on(const ClockReading& now) {
    last_ = now;
    started_ = true;
  }

 private:
  ClockReading last_;
  bool started_ = false;
};

}  // namespace mikroscope::agent
