// One drawn series in bounded memory: what is kept is per pixel column, whatever the number of samples.
#pragma once

#include <cstdint>
#include <vector>

namespace mikroscope::plot {

// The time axis of a figure in axis nanoseconds, the columns it is drawn on, and the window of it that
// samples are taken from (both ends included; it lies within the axis, and nearly always is the whole of it).
struct Grid {
  std::int64_t from_ns = 0;
  std::int64_t to_ns = 1;
  std::uint32_t columns = 1;
  std::int64_t first_ns = 0;
  std::int64_t last_ns = 1;

  double x(double axis_ns) const {
    return (axis_ns - static_cast<double>(from_ns)) * columns / static_cast<double>(to_ns - from_ns);
  }
  // The pixel column of an instant; what lies outside goes to the first or last one.
  std::uint32_t column(double axis_ns) const {
    const double at = x(axis_ns);
    if (!(at > 0)) return 0;
    return at < columns ? static_cast<std::uint32_t>(at) : columns - 1;
  }
};

struct Averaging {
  std::uint32_t smooth = 1;  // samples per point of the line
  // Samples per point of the band and of the peak: 1, or as many as make 100 ms where a single sample can
  // only be all or nothing (CPU time comes in ticks of 10 ms). The mean slides, so no 100 ms stretch can hide
  // between two bins.
  std::uint32_t slide = 1;
};

// The line as first, least, greatest and last point of each column (M4): drawn from these, it covers the same
// pixels as the line through every point.
struct LineColumn {
  float first_x = 0, first_y = 0;
  float low_x = 0, low_y = 0;
  float high_x = 0, high_y = 0;
  float last_x = 0, last_y = 0;
  bool any = false;
  bool broken_before = false;  // no line from the column before
};
struct BandColumn {
  float low = 0;
  float high = 0;
  bool any = false;
  bool broken_before = false;
};

struct Extreme {
  double value = 0;
  std::int64_t axis_ns = 0;
};

class Series {
 public:
  Series(const Grid& grid, Averaging averaging);

  // Once per frame: a value of the sample at `axis_ns` with the weight it has in means (the interval of a
  // rate), or its absence. A value missing where one was due breaks the line; tables that are read less often
  // than every tick are recognised by their own rhythm.
  void add(std::int64_t axis_ns, double value, double weight) {
    add(axis_ns, grid_.column(static_cast<double>(axis_ns)), value, weight);
  }
  // The same where the caller knows the sample's column already.
  void add(std::int64_t axis_ns, std::uint32_t column, double value, double weight);
  void absent();
  // Samples were lost, or the agent restarted: the line breaks.
  void cut();
  // After the last frame: an incomplete last mean is dropped (unless it is all there is).
  void finish();

  std::uint64_t count() const { return count_; }
  double mean() const { return weights_ > 0 ? sum_ / weights_ : 0; }
  double sum() const { return sum_; }
  const Extreme& highest() const { return highest_; }
  const Extreme& lowest() const { return lowest_; }
  double last() const { return last_value_; }  // of the line
  double line_high() const { return line_high_; }
  double line_low() const { return line_low_; }
  std::uint64_t points() const { return points_; }  // of the line
  bool has_line() const { return points_ != 0; }
  std::uint64_t dropped_samples() const { return dropped_; }  // of the incomplete last mean
  const std::vector<LineColumn>& line() const { return line_; }
  const std::vector<BandColumn>& band() const { return band_; }
  const Grid& grid() const { return grid_; }

 private:
  bool regular(std::uint32_t step);
  void base_point(std::int64_t axis_ns, std::uint32_t column, double value);
  void close_mean();
  void line_point(double axis_ns, double value);

  Grid grid_;
  Averaging averaging_;
  std::vector<LineColumn> line_;
  std::vector<BandColumn> band_;

  // rhythm
  std::uint32_t since_ = 0;  // frames since the last value
  bool seen_ = false;
  std::uint32_t steps_[4] = {};
  std::uint32_t step_count_ = 0;
  std::uint32_t refused_ = 0;
  bool every_frame_ = false;  // all recent steps are 1: a further one changes nothing
  bool line_broken_ = true;
  bool band_broken_ = true;

  // sliding mean
  std::vector<double> slide_;
  std::uint32_t slide_next_ = 0;
  std::uint32_t slide_filled_ = 0;

  // the mean that is being collected
  std::uint32_t frames_ = 0;
  std::uint32_t values_ = 0;
  double mean_sum_ = 0;
  double mean_weight_ = 0;
  double mean_time_ = 0;  // sum of times after the first
  std::int64_t mean_first_ = 0;

  std::uint64_t count_ = 0;
  std::uint64_t points_ = 0;
  std::uint64_t dropped_ = 0;
  double sum_ = 0;
  double weights_ = 0;
  Extreme highest_;
  Extreme lowest_;
  bool any_base_ = false;
  double last_value_ = 0;
  double line_high_ = 0;
  double line_low_ = 0;
};

}  // namespace mikroscope::plot
