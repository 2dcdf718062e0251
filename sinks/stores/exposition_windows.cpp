#include "sinks/stores/exposition_windows.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace mikroscope::sinks {
namespace {

// The measurement whose rows have a window, the value, and the counts that make its histogram: one bucket
// for every count that a tick can have.
struct BusyRule {
  std::string_view measurement = "cpu";
  std::string_view ratio = "busy_ratio";
  std::array<std::string_view, 6> ticks = {"user", "nice", "system", "irq", "softirq", "steal"};
};
constexpr BusyRule kBusy;
constexpr double kUserHz = 100;

constexpr std::array<std::pair<std::string_view, std::int64_t>, 3> kWindows = {
    {{"1s", 1'000'000'000}, {"10s", 10'000'000'000}, {"60s", 60'000'000'000}}};

constexpr std::array<double, 12> kOfPeriod = {0.5, 0.9, 0.95, 0.99, 1.01, 1.05, 1.1, 1.25, 1.5, 2, 5, 10};
constexpr std::size_t kFirstIntervals = 5;
constexpr std::array<double, 10> kRates = {1, 2, 4, 5, 10, 20, 25, 40, 50, 100};

double nominal_period(std::vector<double> intervals) {
  std::sort(intervals.begin(), intervals.end());
  const double median = intervals[intervals.size() / 2];
  for (const double rate : kRates) {
    if (std::abs(median * rate - 1) < 0.1) return 1 / rate;
  }
  return median;
}

}  // namespace

void SampleWindows::Histogram::add(double value) {
  std::size_t i = 0;
  while (i < bounds.size() && value > bounds[i]) ++i;
  ++counts[i];
  sum += value;
}

void SampleWindows::take_interval(double seconds) {
  if (period_s_ == 0) {
    first_intervals_.push_back(seconds);
    if (first_intervals_.size() < kFirstIntervals) return;
    period_s_ = nominal_period(first_intervals_);
    for (const double of : kOfPeriod) intervals_.bounds.push_back(std::round(of * period_s_ * 1e6) / 1e6);
    intervals_.counts.assign(intervals_.bounds.size() + 1, 0);
    for (const double first : first_intervals_) intervals_.add(first);
    return;
  }
  intervals_.add(seconds);
}

void SampleWindows::take_ticks(const model::Event& sample, const model::ShapeTable& table, std::size_t row) {
  if (period_s_ == 0) return;
  double ticks = 0;
  for (const std::string_view name : kBusy.ticks) {
    const int field = table.measurement->field(name);
    if (field < 0) return;
    const std::uint32_t slot = table.slot(row, static_cast<std::size_t>(field));
    if (!sample.has(slot)) return;
    ticks += static_cast<double>(sample.integer(slot));
  }
  Histogram& histogram = busy_ticks_[table.rows[row].keys.front()];
  if (histogram.counts.empty()) {
    const double most = std::clamp(std::round(kUserHz * period_s_) + 1, 1.0, 32.0);
    for (double bound = 0; bound <= most; ++bound) histogram.bounds.push_back(bound);
    histogram.counts.assign(histogram.bounds.size() + 1, 0);
  }
  histogram.add(ticks);
}

void SampleWindows::take(const model::Event& sample) {
  if (!sample.shape || sample.dt_ns <= 0) return;
  take_interval(static_cast<double>(sample.dt_ns) / 1e9);
  if (!times_.empty() && sample.boot_ns <= times_.back()) {
    times_.clear();
    ratio_.clear();
  }
  times_.push_back(sample.boot_ns);
  if (const model::ShapeTable* const table = sample.shape->find(kBusy.measurement);
      table != nullptr && !table->measurement->keys.empty()) {
    const int field = table->measurement->field(kBusy.ratio);
    for (std::size_t row = 0; row < table->rows.size(); ++row) {
      take_ticks(sample, *table, row);
      if (field < 0) continue;
      const auto& description = table->measurement->fields[static_cast<std::size_t>(field)];
      const auto value =
          model::number(sample, description, table->slot(row, static_cast<std::size_t>(field)));
      if (!value) continue;
      std::deque<float>& column = ratio_[table->rows[row].keys.front()];
      column.resize(times_.size() - 1, std::numeric_limits<float>::quiet_NaN());
      column.push_back(static_cast<float>(*value));
    }
  }
  for (auto& [cpu, column] : ratio_) column.resize(times_.size(), std::numeric_limits<float>::quiet_NaN());
  while (times_.back() - times_.front() >= kWindows.back().second) {
    times_.pop_front();
    for (auto& [cpu, column] : ratio_) column.pop_front();
  }
}

void SampleWindows::render(const std::string& host, TextFamilies& to) const {
  const std::string shown = valid_text(host);
  for (const auto& [cpu, column] : ratio_) {
    for (const auto& [window, length_ns] : kWindows) {
      std::vector<float> values;
      for (std::size_t i = times_.size(); i-- > 0 && times_.back() - times_[i] < length_ns;) {
        if (!std::isnan(column[i])) values.push_back(column[i]);
      }
      if (values.empty()) continue;
      std::sort(values.begin(), values.end());
      const auto p95 = static_cast<std::size_t>(std::ceil(0.95 * static_cast<double>(values.size()))) - 1;
      const auto add = [&](std::string_view stat, float value) {
        // Of four decimals, as ratios are: a float's own digits would be noise.
        to.add("mikroscope_cpu_busy_ratio_window", TextFamilies::Type::gauge,
               "busy share of the core over the newest second, ten seconds and minute of samples",
               label_text({{"cpu", cpu},
                           {"host", shown},
                           {"stat", std::string(stat)},
                           {"window", std::string(window)}}),
               Number::of(std::round(static_cast<double>(value) * 1e4) / 1e4));
      };
      add("max", values.back());
      add("min", values.front());
      add("p95", values[p95]);
    }
  }
  for (const auto& [cpu, histogram] : busy_ticks_) {
    to.add_histogram("mikroscope_cpu_busy_ticks",
                     "busy ticks of a sample: one bucket for every count that a sample can have",
                     {{"cpu", cpu}, {"host", shown}}, histogram.bounds, histogram.counts, histogram.sum);
  }
  if (period_s_ > 0) {
    to.add_histogram("mikroscope_tick_interval_seconds", "time between two samples", {{"host", shown}},
                     intervals_.bounds, intervals_.counts, intervals_.sum);
  }
}

}  // namespace mikroscope::sinks
