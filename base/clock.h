// Clocks in nanoseconds. CLOCK_MONOTONIC paces and measures intervals; BOOTTIME is the time axis that a
// restart of the agent does not move; REALTIME is only ever a label.
#pragma once

#include <cstdint>

namespace mikroscope::base {

std::int64_t monotonic_ns();
std::int64_t boot_ns();
std::int64_t wall_ns();
std::int64_t process_cpu_ns();  // CPU time of this process, nanosecond clock

constexpr std::int64_t kNsPerSecond = 1'000'000'000;

}  // namespace mikroscope::base
