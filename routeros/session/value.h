// RouterOS writes every value as text; these read the spellings that are about. Absent, "", "n/a", "unknown",
// "none", "never" and "-" are no value.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace mikroscope::routeros {

std::optional<bool> parse_bool(std::string_view text);            // true false yes no, any case
std::optional<std::uint64_t> parse_count(std::string_view text);  // digits only
std::optional<std::uint64_t> parse_bytes(std::string_view text);  // 1048576, 31.2MiB, 64M, 16k
// 1w2d3h4m5s, 1m58s660ms, 453us, 00:01:00, 6w6d18:33:07.123, 5 (seconds), +02:00 (hours and minutes, an
// offset of a zone); nanoseconds.
std::optional<std::int64_t> parse_time(std::string_view text);
// A comma or semicolon list; blanks trimmed, empty items left out.
std::vector<std::string_view> split_list(std::string_view text);

}  // namespace mikroscope::routeros
