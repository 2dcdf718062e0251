#include "plot/scale.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "plot/svg.h"
#include "plot/svg_text.h"

namespace mikroscope::plot {
namespace {

// The least of 1, 2, 2.5, 5 times a power of ten that is not below `least`. 2.5 only where it gives round
// labels.
double nice_step(double least) {
  const double power = std::pow(10.0, std::floor(std::log10(least)));
  for (const double m : {1.0, 2.0, 2.5, 5.0}) {
    if (m * power >= least * (1 - 1e-9)) return m * power;
  }
  return 10 * power;
}

Scale stepped(double low, double high, double step) {
  Scale s;
  const auto first = static_cast<std::int64_t>(std::floor(low / step + 1e-9));
  auto last = static_cast<std::int64_t>(std::ceil(high / step - 1e-9));
  if (last <= first) last = first + 1;
  s.low = static_cast<double>(first) * step;
  s.high = static_cast<double>(last) * step;
  for (std::int64_t i = first; i <= last; ++i) {
    const double v = static_cast<double>(i) * step;
    s.ticks.push_back({v, short_value(v)});
  }
  return s;
}

constexpr double kMinute = 60;
constexpr double kHour = 3600;
constexpr double kDay = 86400;
constexpr double kTimeSteps[] = {0.001,    0.002,     0.005,     0.01,      0.02,       0.05, 0.1,
                                 0.2,      0.5,       1,         2,         5,          10,   15,
                                 30,       60,        120,       300,       600,        900,  1800,
                                 kHour,    2 * kHour, 3 * kHour, 6 * kHour, 12 * kHour, kDay, 2 * kDay,
                                 7 * kDay, 14 * kDay, 28 * kDay, 91 * kDay, 364 * kDay};

// One form for all labels of an axis, chosen by its step and reach.
enum class TimeForm { seconds, minutes, hours, days };

std::string time_label(double seconds, TimeForm form, double step) {
  const bool negative = seconds < 0;
  if (form == TimeForm::seconds) {
    return plain_number(seconds, step >= 1 ? 0 : step >= 0.1 ? 1 : step >= 0.01 ? 2 : 3);
  }
  const auto whole = static_cast<std::int64_t>(std::llround(std::fabs(seconds)));
  const char* sign = negative ? "-" : "";
  const std::int64_t d = whole / 86400;
  const std::int64_t h = whole / 3600;
  const std::int64_t m = whole / 60 % 60;
  const std::int64_t s = whole % 60;
  switch (form) {
    case TimeForm::minutes:
      return fmt::format("{}{}:{:02}", sign, whole / 60, s);
    case TimeForm::hours:
      return step < kMinute ? fmt::format("{}{}:{:02}:{:02}", sign, h, m, s)
                            : fmt::format("{}{}:{:02}", sign, h, m);
    default:
      return step >= kDay ? fmt::format("{}{} d", sign, d)
                          : fmt::format("{}{}d {:02}:{:02}", sign, d, h % 24, m);
  }
}

TimeForm form_of(double reach, double step) {
  if (reach <= 240) return TimeForm::seconds;
  if (reach < kHour) return TimeForm::minutes;
  if (reach <= 2 * kDay && step < kDay) return TimeForm::hours;
  return TimeForm::days;
}

constexpr const char* kCaptions[] = {"s", "min:s", "h:min", "days"};

}  // namespace

Scale scale_from_zero(double high, int most) {
  if (!(high > 0) || !std::isfinite(high)) high = 1;
  return stepped(0, high, nice_step(high / most));
}

Scale scale_around(double low, double high, int most) {
  if (!std::isfinite(low) || !std::isfinite(high)) return scale_from_zero(1, most);
  if (high - low < std::fabs(high) * 1e-6 || high == low) {
    const double pad = std::max(std::fabs(high) * 0.01, 0.5);
    high += pad;
    low = low >= 0 ? std::max(0.0, low - pad) : low - pad;
  }
  double step = nice_step((high - low) / most);
  Scale s = stepped(low, high, step);
  // Rounding both ends outwards can take one step more than asked for.
  if (static_cast<int>(s.ticks.size()) > most + 1) s = stepped(low, high, nice_step(step * 1.01));
  return s;
}

Scale scale_percent() {
  return {0, 100, {{0, "0"}, {25, "25"}, {50, "50"}, {75, "75"}, {100, "100"}}, {}};
}

std::string short_value(double value) {
  const double a = std::fabs(value);
  if (a >= 9999.5e6) return plain_number(value / 1e9, 2) + "G";
  if (a >= 9999.5e3) return plain_number(value / 1e6, 2) + "M";
  if (a >= 9999.5) return plain_number(value / 1e3, 2) + "k";
  return plain_number(value, a >= 100 ? 1 : a >= 1 ? 2 : a >= 0.01 || a == 0 ? 4 : 6);
}

std::string exact_value(double value) {
  const double a = std::fabs(value);
  std::string out = plain_number(value, a >= 1000 ? 0 : a >= 10 ? 1 : a >= 1 ? 2 : 3);
  if (a < 9999.5) return out;
  const std::size_t first = out[0] == '-' ? 1 : 0;
  for (std::size_t at = out.size(); at > first + 3;) {
    at -= 3;
    out.insert(at, "\xE2\x80\x89");
  }
  return out;
}

Scale scale_time(double low, double high, double width, double label_px) {
  Scale s;
  s.low = low;
  s.high = high > low ? high : low + 1;
  const double reach = std::max(std::fabs(s.low), std::fabs(s.high));
  for (const double step : kTimeSteps) {
    const double count = (s.high - s.low) / step;
    if (count > 16) continue;
    const TimeForm form = form_of(reach, step);
    const auto first = static_cast<std::int64_t>(std::ceil(s.low / step - 1e-6));
    const auto last = static_cast<std::int64_t>(std::floor(s.high / step + 1e-6));
    s.ticks.clear();
    double widest = 0;
    for (std::int64_t i = first; i <= last; ++i) {
      const double v = static_cast<double>(i) * step;
      s.ticks.push_back({v, time_label(v, form, step)});
      widest = std::max(widest, text_width(s.ticks.back().label, label_px));
    }
    s.caption = form == TimeForm::hours && step < kMinute ? "h:min:s" : kCaptions[static_cast<int>(form)];
    if (widest * 1.6 + 12 <= width / count) return s;
  }
  return s;
}

std::string say_time(double seconds, int decimals) {
  const double a = std::fabs(seconds);
  if (a < 240) return plain_number(seconds, decimals) + "\xC2\xA0s";
  const double unit = std::pow(10.0, decimals);
  const double rounded = std::round(a * unit) / unit;
  const auto whole = static_cast<std::int64_t>(std::floor(rounded + 1e-9));
  const std::string rest =
      plain_number(static_cast<double>(whole % 60) + (rounded - static_cast<double>(whole)), decimals);
  const std::string pad = rest.size() == 1 || rest[1] == '.' ? "0" : "";
  const char* sign = seconds < 0 ? "-" : "";
  if (whole < 3600) return fmt::format("{}{}:{}{}", sign, whole / 60, pad, rest);
  const std::string clock = fmt::format("{}:{:02}:{}{}", whole / 3600 % 24, whole / 60 % 60, pad, rest);
  if (whole < 86400) return sign + clock;
  return fmt::format("{}{} d {}", sign, whole / 86400, clock);
}

}  // namespace mikroscope::plot
