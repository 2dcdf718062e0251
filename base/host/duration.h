// Spans of time as people write them: 90, 90s, 3m, 1m30s, 1h, 250ms, 12.5s.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/host/result.h"

namespace mikroscope::base {

// Nanoseconds. A bare number is seconds. Units h, m, s, ms, each at most once and in that order; decimals
// allowed. No sign: what may be negative (offsets) handles its sign itself.
Result<std::int64_t> parse_duration(std::string_view text);

// The shortest such text with at most milliseconds: 1h, 1m30s, 12.5s, 0s.
std::string format_duration(std::int64_t ns);

// m:ss or h:mm:ss, for a line that is redrawn.
std::string format_clock(std::int64_t ns);

}  // namespace mikroscope::base
