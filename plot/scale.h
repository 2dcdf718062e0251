// Axes: where the ticks stand and what is written on them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace mikroscope::plot {

struct Tick {
  double value = 0;
  std::string label;
};

struct Scale {
  double low = 0;
  double high = 1;
  std::vector<Tick> ticks;
  std::string caption;  // time axes: the unit of the labels

  // Of a value, as a share of the axis: 0 at low, 1 at high.
  double at(double value) const { return (value - low) / (high - low); }
};

// From zero to at least `high`, with up to `most` steps of 1, 2, 2.5 or 5 times a power of ten.
Scale scale_from_zero(double high, int most);
// Around low..high, both ends on a tick.
Scale scale_around(double low, double high, int most);
Scale scale_percent();  // 0, 25, 50, 75, 100

// A value as axis labels write it: 950, 12.5, 1.2k, 3M.
std::string short_value(double value);
// A value with its spread in mind: about three significant digits, thousands grouped by a thin blank
// (U+2009).
std::string exact_value(double value);

// Ticks of low..high seconds: multiples of a step from milliseconds to weeks, such that labels of their own
// width
// (`label_px` units a character) keep apart on `width` units. The ends are as given, not rounded.
Scale scale_time(double low, double high, double width, double label_px);
// Seconds as a reader says them, with `decimals` for the seconds: 12.3 s, 2:05, 3:04:05, 2 d 03:04:05.
std::string say_time(double seconds, int decimals);

}  // namespace mikroscope::plot
