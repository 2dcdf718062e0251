// Series as path data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plot/scale.h"
#include "plot/series.h"

namespace mikroscope::plot {

// Where a series' columns and values lie on the figure.
struct Frame2d {
  double left = 0;  // x of column 0
  double top = 0;
  double height = 0;
  double low = 0;  // values at the bottom and the top
  double high = 1;

  double x(double column) const { return left + column; }
  double y(double value) const { return top + height - (value - low) / (high - low) * height; }
};

// The line; `merge` columns are drawn as one (1 = all detail), which bounds the bytes.
std::string line_path(const Series& series, const Frame2d& frame, std::uint32_t merge);
// The area between the least and the greatest value.
std::string band_path(const Series& series, const Frame2d& frame, std::uint32_t merge);

// Moves labels apart, up and down alike, so that neighbours are at least `gap` apart and all stay within
// low..high (as far as there is room). `wanted` in any order; the result is in the same order.
std::vector<double> spread(const std::vector<double>& wanted, double gap, double low, double high);

}  // namespace mikroscope::plot
