#include "plot/window.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "base/text.h"
#include "plot/svg_text.h"

namespace mikroscope::plot {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kDay = 86'400 * kSecond;

// Digits with an optional fraction, scaled to nanoseconds of `unit_ns`; moves `text`.
bool take_scaled(std::string_view& text, double& value) {
  std::size_t n = 0;
  while (n < text.size() && (base::is_digit(text[n]) || text[n] == '.')) ++n;
  const auto [end, ec] = std::from_chars(text.data(), text.data() + n, value, std::chars_format::fixed);
  if (n == 0 || ec != std::errc() || end != text.data() + n) return false;
  text.remove_prefix(n);
  return true;
}

bool take_unit(std::string_view& text, std::string_view unit) {
  if (!text.starts_with(unit)) return false;
  text.remove_prefix(unit.size());
  return true;
}

bool take_digits(std::string_view& text, std::size_t count, int& out) {
  if (text.size() < count) return false;
  out = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (!base::is_digit(text[i])) return false;
    out = out * 10 + (text[i] - '0');
  }
  text.remove_prefix(count);
  return true;
}

// HH:MM[:SS[.fraction]]
bool take_clock(std::string_view& text, std::int64_t& ns_of_day) {
  int h = 0;
  int m = 0;
  if (!take_digits(text, 2, h) || !take_unit(text, ":") || !take_digits(text, 2, m) || h > 23 || m > 59)
    return false;
  ns_of_day = (h * 3600LL + m * 60LL) * kSecond;
  if (!take_unit(text, ":")) return true;
  int s = 0;
  if (!take_digits(text, 2, s) || s > 60) return false;
  ns_of_day += s * kSecond;
  if (!take_unit(text, ".")) return true;
  std::int64_t unit = kSecond / 10;
  if (text.empty() || !base::is_digit(text[0])) return false;
  while (!text.empty() && base::is_digit(text[0])) {
    ns_of_day += (text[0] - '0') * unit;
    unit /= 10;
    text.remove_prefix(1);
  }
  return true;
}

std::int64_t days_from_civil(int year, int month, int day) {
  const int y = month <= 2 ? year - 1 : year;
  const int era = (y >= 0 ? y : y - 399) / 400;
  const int yoe = y - era * 400;
  const int doy = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return era * 146097LL + yoe * 365LL + yoe / 4 - yoe / 100 + doy - 719468;
}

bool parse_rfc3339(std::string_view text, std::int64_t& wall_ns) {
  int y = 0;
  int mo = 0;
  int d = 0;
  if (!take_digits(text, 4, y) || !take_unit(text, "-") || !take_digits(text, 2, mo) ||
      !take_unit(text, "-") || !take_digits(text, 2, d) || mo < 1 || mo > 12 || d < 1 || d > 31) {
    return false;
  }
  if (!take_unit(text, "T") && !take_unit(text, "t") && !take_unit(text, " ")) return false;
  std::int64_t of_day = 0;
  if (!take_clock(text, of_day)) return false;
  std::int64_t zone = 0;
  if (!take_unit(text, "Z") && !take_unit(text, "z")) {
    const bool west = text.starts_with('-');
    if (!west && !text.starts_with('+')) return false;
    text.remove_prefix(1);
    if (!take_clock(text, zone)) return false;
    if (west) zone = -zone;
  }
  if (!text.empty()) return false;
  wall_ns = days_from_civil(y, mo, d) * kDay + of_day - zone;
  return true;
}

std::string known_labels(const std::vector<Mark>& marks) {
  std::string out;
  std::size_t listed = 0;
  for (const Mark& m : marks) {
    if (m.label.empty()) continue;
    if (listed++ == 8) return out + ", \xE2\x80\xA6";
    out += (out.empty() ? "\"" : ", \"") + cut_cells(m.label, 40) + "\"";
  }
  return out;
}

}  // namespace

std::optional<std::int64_t> parse_offset(std::string_view text) {
  bool negative = false;
  if (take_unit(text, "-")) {
    negative = true;
  } else {
    take_unit(text, "+");
  }
  if (text.empty()) return std::nullopt;
  double total = 0;
  while (!text.empty()) {
    double value = 0;
    if (!take_scaled(text, value)) return std::nullopt;
    if (take_unit(text, "ms")) {
      total += value / 1000;
    } else if (take_unit(text, "h")) {
      total += value * 3600;
    } else if (take_unit(text, "m")) {
      total += value * 60;
    } else if (take_unit(text, "d")) {
      total += value * 86400;
    } else if (take_unit(text, "s") || text.empty()) {
      total += value;
    } else {
      return std::nullopt;
    }
  }
  if (!(total < 9e9)) return std::nullopt;
  const std::int64_t ns = std::llround(total * 1e9);
  return negative ? -ns : ns;
}

base::Result<std::int64_t> parse_instant(std::string_view raw, std::string_view flag,
                                         const InstantContext& context) {
  const std::string_view text = base::trim(raw);
  const std::string label = clean_text(text);
  if (context.marks != nullptr) {
    for (const Mark& m : *context.marks) {
      if (m.label == label) return m.axis_ns;
    }
  }
  if (text == "start") return context.start_ns;
  if (text == "end") return context.end_ns;
  for (const auto& [word, base_ns] : {std::pair<std::string_view, std::int64_t>{"end", context.end_ns},
                                      std::pair<std::string_view, std::int64_t>{"start", context.start_ns}}) {
    if (!text.starts_with(word)) continue;
    const std::string_view rest = text.substr(word.size());
    if (rest.starts_with('-') || rest.starts_with('+')) {
      if (const auto offset = parse_offset(rest)) return base_ns + *offset;
    }
  }
  if (const auto offset = parse_offset(text)) return context.t0_ns + *offset;
  if (context.timeline != nullptr) {
    std::int64_t wall = 0;
    if (parse_rfc3339(text, wall)) return context.timeline->from_wall(wall);
    std::string_view clock = text;
    std::int64_t of_day = 0;
    if (take_clock(clock, of_day) && clock.empty()) {
      // The first such time of day that is not before the recording (a minute of grace for rounded times).
      const std::int64_t first = context.timeline->to_wall(context.start_ns);
      std::int64_t instant = first - first % kDay + of_day;
      if (instant < first - 60 * kSecond) instant += kDay;
      return context.timeline->from_wall(instant);
    }
  }
  const std::string labels = context.marks != nullptr ? known_labels(*context.marks) : std::string();
  return base::Error{fmt::format("{} \"{}\" is neither a time nor the label of a marker", flag, label),
                     labels.empty() ? "give seconds (12.5, 1m30s, end-5s) or a UTC time; there are no markers"
                                    : "give seconds (12.5, 1m30s, end-5s), a UTC time, or one of " + labels,
                     base::Exit::usage};
}

}  // namespace mikroscope::plot
