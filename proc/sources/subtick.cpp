// Extremes between two ticks: with SUBTICK=N the agent reads the cheap counters N times a period and keeps
// the least, the greatest and the last of the N differences. Filled by the agent's sampler.

#include "proc/tables.h"
#include "proc/timing_columns.h"

namespace mikroscope::proc {
namespace {

constexpr KeyColumn kCpuKey[] = {{"cpu", false, false, "the kernel's CPU number"}};

constexpr Column gauge(std::string_view name, Unit unit, std::string_view help) {
  return {name, Kind::gauge, unit, help};
}
constexpr Column kSubtick[] = {
    gauge("busy_min", Unit::ticks, "least busy time of a part of the tick"),
    gauge("busy_max", Unit::ticks, "greatest busy time of a part"),
    gauge("busy_last", Unit::ticks, "busy time of the last part"),
    gauge("processed_min", Unit::packets, "fewest packets processed in a part"),
    gauge("processed_max", Unit::packets, "most packets processed in a part"),
    gauge("processed_last", Unit::packets, "packets processed in the last part"),
    gauge("dropped_max", Unit::packets, "most packets dropped in a part"),
    gauge("squeeze_max", Unit::packets, "most time squeezes in a part"),
    gauge("interval_ns", Unit::nanoseconds, "length of a part, mean of this tick"),
};
static_assert(std::size(kSubtick) == kSubtickIntervalNs + 1);

}  // namespace

constinit const Schema kSubtickSchema{"subtick", kCpuKey, kSubtick, "extremes between two ticks (SUBTICK)"};

}  // namespace mikroscope::proc
