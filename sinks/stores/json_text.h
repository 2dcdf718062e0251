// What text stores share: strings, numbers and times as bytes, the same on every machine.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/event.h"

namespace mikroscope::sinks {

// `text` with U+FFFD for every byte that is no part of valid UTF-8.
std::string valid_utf8(std::string_view text);

// With the quotation marks; NUL and other control characters as \u00XX.
void append_json_string(std::string& out, std::string_view text);

// A number in decimal: integers as they are, decimals with exactly so many digits, reals as short as they can
// be read back and always with a point or an exponent. False, and nothing appended: absent, a text, a
// boolean, or not finite.
bool append_number(std::string& out, const model::Event& event, const model::Field& field,
                   std::uint32_t slot);

// The cell as a JSON value. False, and nothing appended: absent or not finite.
bool append_json_cell(std::string& out, const model::Event& event, const model::Field& field,
                      std::uint32_t slot);

// A key as a JSON value: a number where the key is one and the text is digits.
void append_json_key(std::string& out, const model::Key& key, std::string_view text);

bool is_digits(std::string_view text);

struct UtcTime {
  int year = 1970, month = 1, day = 1, hour = 0, minute = 0, second = 0;
  std::int64_t nanosecond = 0;
};
UtcTime utc(std::int64_t wall_ns);
std::string rfc3339_ns(std::int64_t wall_ns);  // 2026-09-10T00:26:40.123456789Z

}  // namespace mikroscope::sinks
