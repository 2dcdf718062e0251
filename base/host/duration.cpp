#include "base/host/duration.h"

#include <fmt/format.h>

#include "base/text.h"

namespace mikroscope::base {
namespace {

constexpr std::int64_t kMs = 1'000'000;
constexpr std::int64_t kSecond = 1000 * kMs;
constexpr std::int64_t kMinute = 60 * kSecond;
constexpr std::int64_t kHour = 60 * kMinute;
constexpr std::int64_t kLongest = 1000LL * 24 * kHour;

struct UnitName {
  std::string_view name;
  std::int64_t ns;
};
// "ms" before "m": the longer name is tried first.
constexpr UnitName kUnits[] = {{"h", kHour}, {"ms", kMs}, {"min", kMinute}, {"m", kMinute}, {"s", kSecond}};

Error bad(std::string_view text, std::string_view why) {
  return {fmt::format("\"{}\" is no duration: {}", text, why), "write it like 90, 90s, 3m, 1m30s or 1h",
          Exit::usage};
}

// Digits with an optional fraction, as nanoseconds of `unit`. The number stands in `digits`, checked by the
// caller.
bool scale(std::string_view digits, std::int64_t unit, std::int64_t& out) {
  const std::size_t dot = digits.find('.');
  std::uint64_t whole = 0;
  const std::string_view head = digits.substr(0, dot);
  if (!head.empty() && !parse_u64(head, whole)) return false;
  if (whole > static_cast<std::uint64_t>(kLongest / unit)) return false;
  out = static_cast<std::int64_t>(whole) * unit;
  if (dot == std::string_view::npos) return true;
  std::int64_t step = unit;
  for (const char c : digits.substr(dot + 1)) {
    step /= 10;
    out += (c - '0') * step;
  }
  return true;
}

}  // namespace

Result<std::int64_t> parse_duration(std::string_view text) {
  std::string_view rest = trim(text);
  if (rest.empty()) return bad(text, "it is empty");
  if (rest.front() == '-' || rest.front() == '+') return bad(text, "it has a sign");
  std::int64_t total = 0;
  std::int64_t last_unit = INT64_MAX;
  while (!rest.empty()) {
    std::size_t n = 0;
    int dots = 0;
    while (n < rest.size() && (is_digit(rest[n]) || rest[n] == '.')) dots += rest[n++] == '.';
    const std::string_view digits = rest.substr(0, n);
    if (n == 0 || dots > 1 || digits == ".") return bad(text, "a number is missing");
    rest.remove_prefix(n);
    std::int64_t unit = kSecond;
    if (!rest.empty()) {
      const UnitName* found = nullptr;
      for (const UnitName& u : kUnits) {
        if (rest.starts_with(u.name)) {
          found = &u;
          break;
        }
      }
      if (found == nullptr) return bad(text, "the units are h, m, s and ms");
      unit = found->ns;
      rest.remove_prefix(found->name.size());
    } else if (last_unit != INT64_MAX) {
      return bad(text, "the last number has no unit");
    }
    if (unit >= last_unit) return bad(text, "units go from large to small, each once");
    last_unit = unit;
    std::int64_t part = 0;
    if (!scale(digits, unit, part)) return bad(text, "it is longer than 1000 days");
    total += part;
  }
  if (total > kLongest) return bad(text, "it is longer than 1000 days");
  return total;
}

std::string format_duration(std::int64_t ns) {
  std::string out = ns < 0 ? "-" : "";
  // Half a millisecond rounds up, once, before the parts are taken.
  std::int64_t ms = ((ns < 0 ? -ns : ns) + kMs / 2) / kMs;
  const std::int64_t h = ms / 3'600'000;
  const std::int64_t m = ms / 60'000 % 60;
  ms %= 60'000;
  if (h != 0) out += fmt::format("{}h", h);
  if (m != 0) out += fmt::format("{}m", m);
  if (ms == 0 && (h != 0 || m != 0)) return out;
  out += fmt::format("{}", ms / 1000);
  if (ms % 1000 != 0) {
    std::string fraction = fmt::format(".{:03}", ms % 1000);
    while (fraction.back() == '0') fraction.pop_back();
    out += fraction;
  }
  return out + "s";
}

std::string format_clock(std::int64_t ns) {
  const std::int64_t s = ns < 0 ? 0 : ns / kSecond;
  if (s < 3600) return fmt::format("{}:{:02}", s / 60, s % 60);
  return fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
}

}  // namespace mikroscope::base
