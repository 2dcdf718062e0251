#include "base/clock.h"

#include <time.h>

namespace mikroscope::base {
namespace {

std::int64_t read_clock(clockid_t id) {
  timespec t{};
  clock_gettime(id, &t);
  return static_cast<std::int64_t>(t.tv_sec) * kNsPerSecond + t.tv_nsec;
}

}  // namespace

std::int64_t monotonic_ns() {
  return read_clock(CLOCK_MONOTONIC);
}

std::int64_t boot_ns() {
  return read_clock(CLOCK_BOOTTIME);
}

std::int64_t wall_ns() {
  return read_clock(CLOCK_REALTIME);
}

std::int64_t process_cpu_ns() {
  return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

}  // namespace mikroscope::base
