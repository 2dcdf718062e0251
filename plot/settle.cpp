// What is decided once all samples are in, or before the first: which series are drawn in which colour, and
// how many samples a drawn mean takes.
#include <algorithm>

#include "plot/collect.h"

namespace mikroscope::plot {

std::uint32_t samples_per_100_ms(std::int64_t interval_ns) {
  constexpr std::int64_t kSpan = 100'000'000;
  if (interval_ns <= 0) return 1;
  return static_cast<std::uint32_t>(
      std::clamp<std::int64_t>((kSpan + interval_ns / 2) / interval_ns, 1, 1000));
}

std::uint32_t automatic_smooth(std::int64_t window_ns, std::int64_t interval_ns, std::uint32_t columns) {
  if (interval_ns <= 0) return 1;
  const std::int64_t samples = window_ns / interval_ns;
  const std::uint64_t least = std::max<std::uint64_t>(samples_per_100_ms(interval_ns),
                                                      static_cast<std::uint64_t>(samples) * 4 / columns);
  for (std::uint64_t power = 1;; power *= 10) {
    for (const std::uint64_t m : {1, 2, 5}) {
      if (m * power >= least) return static_cast<std::uint32_t>(m * power);
    }
  }
}

void settle(PanelData& panel) {
  constexpr std::size_t kTop = 5;
  constexpr std::size_t kColoured = kSeriesColours;
  std::vector<NamedSeries> kept;
  for (NamedSeries& s : panel.series) {
    if (s.series.count() != 0) kept.push_back(std::move(s));
  }
  panel.series = std::move(kept);
  if (panel.series.empty()) return;
  const Rows rows = panel.series.front().pick->rows;
  if (rows == Rows::sum) return;
  if (rows == Rows::top && panel.series.size() > kTop) {
    std::stable_sort(
        panel.series.begin(), panel.series.end(),
        [](const NamedSeries& a, const NamedSeries& b) { return a.series.sum() > b.series.sum(); });
    panel.series_left_out = panel.series.size() - kTop;
    panel.series.erase(panel.series.begin() + kTop, panel.series.end());
  } else {
    std::stable_sort(panel.series.begin(), panel.series.end(),
                     [](const NamedSeries& a, const NamedSeries& b) { return a.order < b.order; });
  }
  // With more series than colours the greatest get one; the others are drawn behind, in grey.
  std::vector<std::size_t> by_mean(panel.series.size());
  for (std::size_t i = 0; i < by_mean.size(); ++i) by_mean[i] = i;
  if (panel.series.size() > kColoured) {
    std::stable_sort(by_mean.begin(), by_mean.end(), [&](std::size_t a, std::size_t b) {
      return panel.series[a].series.mean() > panel.series[b].series.mean();
    });
    for (std::size_t i = kColoured - 1; i < by_mean.size(); ++i) {
      panel.series[by_mean[i]].background = true;
      panel.series[by_mean[i]].hue = kSlate;
    }
  }
  std::size_t next = panel.series.front().pick->hue;
  for (NamedSeries& s : panel.series) {
    if (!s.background)
      s.hue = static_cast<Hue>(next++ % (panel.series.size() > kColoured ? kColoured - 1 : kColoured));
  }
}

}  // namespace mikroscope::plot
