#include "routeros/session/value.h"

#include <strings.h>

#include <algorithm>
#include <string>

#include "base/text.h"

namespace mikroscope::routeros {
namespace {

bool same(std::string_view a, std::string_view b) {
  return a.size() == b.size() && ::strncasecmp(a.data(), b.data(), a.size()) == 0;
}

constexpr std::uint64_t kMicrosecond = 1000;
constexpr std::uint64_t kMillisecond = 1000 * kMicrosecond;
constexpr std::uint64_t kSecond = 1000 * kMillisecond;
constexpr std::uint64_t kMinute = 60 * kSecond;
constexpr std::uint64_t kHour = 60 * kMinute;
constexpr std::uint64_t kDay = 24 * kHour;

struct Unit {
  std::string_view name;
  std::uint64_t size;
};
// "ms" before "m": the longer name is tried first.
constexpr Unit kTimeUnits[] = {
    {"w", 7 * kDay}, {"d", kDay},    {"h", kHour},         {"ms", kMillisecond},
    {"m", kMinute},  {"s", kSecond}, {"us", kMicrosecond}, {"ns", std::uint64_t{1}}};
// RouterOS writes KiB for what it takes as K: every unit is a power of 1024.
constexpr Unit kByteUnits[] = {{"", 1},
                               {"B", 1},
                               {"K", std::uint64_t{1} << 10},
                               {"KiB", std::uint64_t{1} << 10},
                               {"M", std::uint64_t{1} << 20},
                               {"MiB", std::uint64_t{1} << 20},
                               {"G", std::uint64_t{1} << 30},
                               {"GiB", std::uint64_t{1} << 30},
                               {"T", std::uint64_t{1} << 40},
                               {"TiB", std::uint64_t{1} << 40}};

// total += count * size, or false where that leaves 63 bits.
bool accumulate(std::uint64_t& total, std::uint64_t count, std::uint64_t size) {
  if (count > static_cast<std::uint64_t>(INT64_MAX) / size) return false;
  total += count * size;
  return total <= static_cast<std::uint64_t>(INT64_MAX);
}

struct Decimal {
  std::uint64_t whole = 0;
  std::string_view fraction;  // digits
};

// 12, 12.5; not .5 nor 12.
bool decimal(base::Scanner& s, Decimal& out) {
  if (!base::is_digit(s.peek()) || !s.u64(out.whole)) return false;
  if (!s.consume('.')) return true;
  const std::string_view rest = s.rest();
  const auto end = std::find_if_not(rest.begin(), rest.end(), base::is_digit);
  out.fraction = rest.substr(0, static_cast<std::size_t>(end - rest.begin()));
  s.consume(out.fraction);
  return !out.fraction.empty();
}

// number * size, cut off to a whole number.
bool scaled(const Decimal& number, std::uint64_t size, std::uint64_t& total) {
  if (!accumulate(total, number.whole, size)) return false;
  // Nine digits decide every byte of a TiB and every nanosecond.
  std::uint64_t numerator = 0;
  std::uint64_t denominator = 1;
  for (const char c : number.fraction.substr(0, 9)) {
    numerator = numerator * 10 + static_cast<std::uint64_t>(c - '0');
    denominator *= 10;
  }
  // In two steps: size may have 40 bits and the numerator 30.
  const std::uint64_t part = size / denominator * numerator + size % denominator * numerator / denominator;
  return accumulate(total, part, 1);
}

// The rest of HH:MM[:SS[.fraction]] after HH.
bool clock_time(base::Scanner& s, std::uint64_t hours, std::uint64_t& total) {
  std::uint64_t minutes = 0;
  Decimal seconds;
  if (!base::is_digit(s.peek()) || !s.u64(minutes) || minutes > 59) return false;
  if (s.consume(':') && (!decimal(s, seconds) || seconds.whole > 59)) return false;
  return s.done() && accumulate(total, hours, kHour) && accumulate(total, minutes, kMinute) &&
         scaled(seconds, kSecond, total);
}

bool time_span(base::Scanner& s, std::uint64_t& total) {
  std::uint64_t last = UINT64_MAX;
  do {
    Decimal number;
    if (!decimal(s, number)) return false;
    if (number.fraction.empty() && s.consume(':')) return last >= kDay && clock_time(s, number.whole, total);
    if (s.done()) return last == UINT64_MAX && scaled(number, kSecond, total);  // a bare number
    const auto unit = std::find_if(std::begin(kTimeUnits), std::end(kTimeUnits),
                                   [&s](const Unit& u) { return s.consume(u.name); });
    if (unit == std::end(kTimeUnits) || unit->size >= last) return false;
    last = unit->size;
    if (!scaled(number, unit->size, total)) return false;
  } while (!s.done());
  return true;
}

}  // namespace

std::optional<bool> parse_bool(std::string_view text) {
  if (same(text, "true") || same(text, "yes")) return true;
  if (same(text, "false") || same(text, "no")) return false;
  return std::nullopt;
}

std::optional<std::uint64_t> parse_count(std::string_view text) {
  base::Scanner s(text);
  std::uint64_t value = 0;
  if (!base::is_digit(s.peek()) || !s.u64(value) || !s.done()) return std::nullopt;
  return value;
}

std::optional<std::uint64_t> parse_bytes(std::string_view text) {
  base::Scanner s(text);
  Decimal number;
  if (!decimal(s, number)) return std::nullopt;
  s.skip_spaces();
  for (const Unit& unit : kByteUnits) {
    std::uint64_t total = 0;
    if (same(s.rest(), unit.name))
      return scaled(number, unit.size, total) ? std::optional(total) : std::nullopt;
  }
  return std::nullopt;
}

std::optional<std::int64_t> parse_time(std::string_view text) {
  base::Scanner s(text);
  const bool negative = s.consume('-');
  if (!negative) s.consume('+');
  std::uint64_t total = 0;
  if (!time_span(s, total)) return std::nullopt;
  const auto ns = static_cast<std::int64_t>(total);
  return negative ? -ns : ns;
}

std::vector<std::string_view> split_list(std::string_view text) {
  std::vector<std::string_view> items;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(",;"), text.size());
    const std::string_view item = base::trim(text.substr(0, end));
    if (!item.empty()) items.push_back(item);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return items;
}

}  // namespace mikroscope::routeros
