// What one value a scrape cannot tell: distributions since the start, and the last minute's extremes.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "model/event.h"
#include "sinks/stores/exposition_text.h"

namespace mikroscope::sinks {

// Of one host. Windows are of the sampler's monotonic time, so they hold what they say at any rate.
class SampleWindows {
 public:
  void take(const model::Event& sample);
  void render(const std::string& host, TextFamilies& to) const;

 private:
  struct Histogram {
    std::vector<double> bounds;
    std::vector<std::uint64_t> counts;
    double sum = 0;
    void add(double value);
  };
  void take_interval(double seconds);
  void take_ticks(const model::Event& sample, const model::ShapeTable& table, std::size_t row);

  std::deque<std::int64_t> times_;                  // boot_ns
  std::map<std::string, std::deque<float>> ratio_;  // per CPU, as many as times_; NaN: absent
  std::map<std::string, Histogram> busy_ticks_;     // per CPU
  std::vector<double> first_intervals_;             // until the nominal period is known
  double period_s_ = 0;
  Histogram intervals_;
};

}  // namespace mikroscope::sinks
