// Wall time as text. UTC only: no zone of the machine ever changes an output.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/host/result.h"

namespace mikroscope::base {

// 2026-09-12T02:21:24.500000000Z with `digits` (0 to 9) of the second.
std::string format_utc(std::int64_t wall_ns, int digits = 3);
// 20260912T022124Z, for names of files.
std::string format_utc_compact(std::int64_t wall_ns);

// RFC 3339: date, 'T' or a blank, time with optional fraction, 'Z' or an offset. Without a zone: UTC.
Result<std::int64_t> parse_rfc3339(std::string_view text);

// HH:MM:SS[.fraction] as nanoseconds since midnight; false when it is none.
bool parse_time_of_day(std::string_view text, std::int64_t& out_ns);

// Days since 1970-01-01 of a date of the Gregorian calendar.
std::int64_t days_from_civil(std::int64_t year, int month, int day);

}  // namespace mikroscope::base
