#include "base/host/utc.h"

#include <fmt/format.h>

#include "base/clock.h"
#include "base/text.h"

namespace mikroscope::base {
namespace {

constexpr std::int64_t kDayNs = 86'400 * kNsPerSecond;

struct Civil {
  std::int64_t year;
  int month;
  int day;
};

// Eras of 400 years that begin on 1 March, so that the leap day is the last of its year.
Civil civil_from_days(std::int64_t days) {
  const std::int64_t shifted = days + 719'468;
  const std::int64_t era = (shifted >= 0 ? shifted : shifted - 146'096) / 146'097;
  const std::int64_t of_era = shifted - era * 146'097;
  const std::int64_t year_of_era = (of_era - of_era / 1460 + of_era / 36'524 - of_era / 146'096) / 365;
  const std::int64_t of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const std::int64_t mp = (5 * of_year + 2) / 153;
  const int month = static_cast<int>(mp < 10 ? mp + 3 : mp - 9);
  return {year_of_era + era * 400 + (month <= 2 ? 1 : 0), month,
          static_cast<int>(of_year - (153 * mp + 2) / 5 + 1)};
}

int days_in_month(std::int64_t year, int month) {
  constexpr int kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return month == 2 && leap ? 29 : kDays[month - 1];
}

std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}

// Exactly `count` digits.
bool digits(std::string_view& in, std::size_t count, int& out) {
  if (in.size() < count) return false;
  out = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (!is_digit(in[i])) return false;
    out = out * 10 + (in[i] - '0');
  }
  in.remove_prefix(count);
  return true;
}

bool consume(std::string_view& in, char c) {
  if (in.empty() || in.front() != c) return false;
  in.remove_prefix(1);
  return true;
}

bool time_of_day(std::string_view& in, std::int64_t& out_ns) {
  int h = 0;
  int m = 0;
  int s = 0;
  if (!digits(in, 2, h) || !consume(in, ':') || !digits(in, 2, m) || !consume(in, ':') || !digits(in, 2, s))
    return false;
  if (h > 23 || m > 59 || s > 60) return false;
  std::int64_t ns = 0;
  if (consume(in, '.')) {
    std::int64_t step = kNsPerSecond;
    if (in.empty() || !is_digit(in.front())) return false;
    while (!in.empty() && is_digit(in.front())) {
      step /= 10;
      ns += (in.front() - '0') * step;
      in.remove_prefix(1);
    }
  }
  out_ns = ((h * 60LL + m) * 60 + s) * kNsPerSecond + ns;
  return true;
}

}  // namespace

std::int64_t days_from_civil(std::int64_t year, int month, int day) {
  year -= month <= 2 ? 1 : 0;
  const std::int64_t era = (year >= 0 ? year : year - 399) / 400;
  const std::int64_t of_era = year - era * 400;
  const std::int64_t of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
  return era * 146'097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719'468;
}

std::string format_utc(std::int64_t wall_ns, int fraction_digits) {
  const std::int64_t days = floor_div(wall_ns, kDayNs);
  const std::int64_t of_day = wall_ns - days * kDayNs;
  const Civil date = civil_from_days(days);
  const std::int64_t s = of_day / kNsPerSecond;
  std::string out = fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", date.year, date.month, date.day,
                                s / 3600, s / 60 % 60, s % 60);
  if (fraction_digits > 0) {
    out +=
        fmt::format(".{:09}", of_day % kNsPerSecond).substr(0, static_cast<std::size_t>(fraction_digits) + 1);
  }
  return out + "Z";
}

std::string format_utc_compact(std::int64_t wall_ns) {
  std::string out;
  for (const char c : format_utc(wall_ns, 0)) {
    if (c != '-' && c != ':') out += c;
  }
  return out;
}

Result<std::int64_t> parse_rfc3339(std::string_view text) {
  const Error error{fmt::format("\"{}\" is no time of RFC 3339", text),
                    "write it like 2026-09-12T02:21:24.5Z", Exit::usage};
  std::string_view in = trim(text);
  int year = 0;
  int month = 0;
  int day = 0;
  if (!digits(in, 4, year) || !consume(in, '-') || !digits(in, 2, month) || !consume(in, '-') ||
      !digits(in, 2, day)) {
    return error;
  }
  if (month < 1 || month > 12 || day < 1 || day > days_in_month(year, month)) return error;
  if (!consume(in, 'T') && !consume(in, 't') && !consume(in, ' ')) return error;
  std::int64_t of_day = 0;
  if (!time_of_day(in, of_day)) return error;
  std::int64_t offset = 0;
  if (!in.empty() && !consume(in, 'Z') && !consume(in, 'z')) {
    const bool minus = in.front() == '-';
    int h = 0;
    int m = 0;
    if (!consume(in, minus ? '-' : '+') || !digits(in, 2, h)) return error;
    consume(in, ':');
    if (!digits(in, 2, m) || h > 23 || m > 59) return error;
    offset = (h * 60LL + m) * 60 * kNsPerSecond * (minus ? -1 : 1);
  }
  if (!in.empty()) return error;
  return days_from_civil(year, month, day) * kDayNs + of_day - offset;
}

bool parse_time_of_day(std::string_view text, std::int64_t& out_ns) {
  std::string_view in = trim(text);
  return time_of_day(in, out_ns) && in.empty();
}

}  // namespace mikroscope::base
