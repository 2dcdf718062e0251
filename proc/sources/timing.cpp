// When within a tick each group of sources was read. Filled by the agent's sampler, keyed by kGroupNames.

#include "proc/tables.h"
#include "proc/timing_columns.h"

namespace mikroscope::proc {
namespace {

constexpr KeyColumn kGroupKey[] = {{"group", true, false, "counters, memory, devices, slow or self"}};
constexpr Column kTiming[] = {
    {"offset_ns", Kind::gauge, Unit::nanoseconds, "from the tick's time stamp to the group's first read"},
    {"read_ns", Kind::gauge, Unit::nanoseconds, "time that reading the group took"},
};
static_assert(std::size(kTiming) == kTimingReadNs + 1);

}  // namespace

constinit const Schema kTimingSchema{"timing", kGroupKey, kTiming,
                                     "when in the tick each group of sources was read"};
std::uint32_t timing_rows(const Machine&) {
  return static_cast<std::uint32_t>(std::size(kGroupNames));
}

}  // namespace mikroscope::proc
