#include "plot/series.h"

#include <algorithm>

namespace mikroscope::plot {

Series::Series(const Grid& grid, Averaging averaging)
    : grid_(grid), averaging_(averaging), line_(grid.columns), band_(grid.columns) {
  slide_.resize(std::max(averaging_.slide, 1u));
  averaging_.smooth = std::max(averaging_.smooth, 1u);
}

void Series::add(std::int64_t axis_ns, std::uint32_t column, double value, double weight) {
  if (seen_ && since_ != 0) {
    if (!regular(since_ + 1)) cut();
  } else if (seen_ && every_frame_) {
    refused_ = 0;
  } else if (seen_) {
    regular(1);
  }
  seen_ = true;
  since_ = 0;
  ++count_;
  sum_ += value * weight;
  weights_ += weight;

  if (slide_.size() == 1) {
    base_point(axis_ns, column, value);
  } else {
    slide_[slide_next_] = value;
    if (++slide_next_ == slide_.size()) slide_next_ = 0;
    if (slide_filled_ < slide_.size()) ++slide_filled_;
    if (slide_filled_ == slide_.size()) {
      double total = 0;
      for (const double v : slide_) total += v;
      base_point(axis_ns, column, total / static_cast<double>(slide_.size()));
    }
  }

  if (values_ == 0) mean_first_ = axis_ns;
  ++values_;
  mean_sum_ += value * weight;
  mean_weight_ += weight;
  mean_time_ += static_cast<double>(axis_ns - mean_first_);
  if (++frames_ >= averaging_.smooth) close_mean();
}

void Series::absent() {
  ++since_;
  if (++frames_ >= averaging_.smooth) close_mean();
}

void Series::cut() {
  close_mean();
  since_ = 0;
  seen_ = false;
  slide_filled_ = 0;
  line_broken_ = true;
  band_broken_ = true;
}

void Series::finish() {
  if (frames_ != 0 && frames_ < averaging_.smooth && points_ != 0) {
    dropped_ = values_;
    values_ = 0;
  }
  close_mean();
}

// A step (in frames) is regular when it is no longer than half as much again as the recent ones. The first
// irregular step breaks the line; a second one like it is a new rhythm.
bool Series::regular(std::uint32_t step) {
  std::uint32_t usual = 0;
  for (const std::uint32_t s : steps_) usual = std::max(usual, s);
  if (step_count_ != 0 && step * 2 > usual * 3) {
    const bool again = refused_ != 0 && step * 2 <= refused_ * 3 && refused_ * 2 <= step * 3;
    if (!again) {
      refused_ = step;
      return false;
    }
    std::fill(std::begin(steps_), std::end(steps_), 0u);
    every_frame_ = false;
  }
  refused_ = 0;
  steps_[step_count_ % 4] = step;
  ++step_count_;
  every_frame_ = std::all_of(std::begin(steps_), std::end(steps_), [](std::uint32_t s) { return s == 1; });
  return true;
}

void Series::base_point(std::int64_t axis_ns, std::uint32_t column, double value) {
  if (!any_base_ || value > highest_.value) highest_ = {value, axis_ns};
  if (!any_base_ || value < lowest_.value) lowest_ = {value, axis_ns};
  any_base_ = true;
  BandColumn& c = band_[column];
  const auto v = static_cast<float>(value);
  if (!c.any) {
    c = {v, v, true, band_broken_};
  } else {
    c.low = std::min(c.low, v);
    c.high = std::max(c.high, v);
  }
  band_broken_ = false;
}

void Series::close_mean() {
  if (values_ != 0 && mean_weight_ > 0) {
    line_point(static_cast<double>(mean_first_) + mean_time_ / values_, mean_sum_ / mean_weight_);
  }
  frames_ = values_ = 0;
  mean_sum_ = mean_weight_ = mean_time_ = 0;
}

void Series::line_point(double axis_ns, double value) {
  const double x = grid_.x(axis_ns);
  LineColumn& c = line_[grid_.column(axis_ns)];
  const auto fx = static_cast<float>(x);
  const auto fy = static_cast<float>(value);
  if (!c.any) {
    c = {fx, fy, fx, fy, fx, fy, fx, fy, true, line_broken_};
  } else {
    if (fy < c.low_y) c.low_x = fx, c.low_y = fy;
    if (fy > c.high_y) c.high_x = fx, c.high_y = fy;
    c.last_x = fx;
    c.last_y = fy;
  }
  line_broken_ = false;
  if (points_ == 0 || value > line_high_) line_high_ = value;
  if (points_ == 0 || value < line_low_) line_low_ = value;
  last_value_ = value;
  ++points_;
}

}  // namespace mikroscope::plot
