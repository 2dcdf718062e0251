#include "plot/lines.h"

#include <algorithm>
#include <numeric>

#include "plot/svg.h"

namespace mikroscope::plot {
namespace {

LineColumn merged(const std::vector<LineColumn>& columns, std::size_t begin, std::size_t end) {
  LineColumn m;
  for (std::size_t i = begin; i < end; ++i) {
    const LineColumn& c = columns[i];
    if (!c.any) continue;
    if (!m.any) {
      m = c;
      continue;
    }
    if (c.low_y < m.low_y) m.low_x = c.low_x, m.low_y = c.low_y;
    if (c.high_y > m.high_y) m.high_x = c.high_x, m.high_y = c.high_y;
    m.last_x = c.last_x;
    m.last_y = c.last_y;
  }
  return m;
}

BandColumn merged(const std::vector<BandColumn>& columns, std::size_t begin, std::size_t end) {
  BandColumn m;
  for (std::size_t i = begin; i < end; ++i) {
    const BandColumn& c = columns[i];
    if (!c.any) continue;
    if (!m.any) {
      m = c;
      continue;
    }
    m.low = std::min(m.low, c.low);
    m.high = std::max(m.high, c.high);
  }
  return m;
}

}  // namespace

std::string line_path(const Series& series, const Frame2d& frame, std::uint32_t merge) {
  const auto& columns = series.line();
  PathData path;
  for (std::size_t i = 0; i < columns.size(); i += merge) {
    const LineColumn c = merged(columns, i, std::min(columns.size(), i + merge));
    if (!c.any) continue;
    const double first_x = frame.x(c.first_x);
    if (path.empty() || c.broken_before) {
      path.move(first_x, frame.y(c.first_y));
    } else {
      path.line(first_x, frame.y(c.first_y));
    }
    const bool low_first = c.low_x <= c.high_x;
    path.line(frame.x(low_first ? c.low_x : c.high_x), frame.y(low_first ? c.low_y : c.high_y));
    path.line(frame.x(low_first ? c.high_x : c.low_x), frame.y(low_first ? c.high_y : c.low_y));
    path.line(frame.x(c.last_x), frame.y(c.last_y));
  }
  return path.take();
}

std::string band_path(const Series& series, const Frame2d& frame, std::uint32_t merge) {
  const auto& columns = series.band();
  // Where values lie further apart than columns, a band of single columns would be a comb: two values a step.
  std::size_t used = 0;
  std::size_t first = columns.size();
  std::size_t last = 0;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (!columns[i].any) continue;
    ++used;
    first = std::min(first, i);
    last = i;
  }
  if (used == 0) return {};
  const std::size_t reach = last - first + 1;
  const std::size_t step = std::max<std::size_t>(merge, used == reach ? 1 : (2 * reach + used - 1) / used);
  PathData path;
  std::vector<std::pair<double, BandColumn>> run;
  const auto flush = [&] {
    if (run.empty()) return;
    // A run of one step is as wide as the step.
    const double half = run.size() == 1 ? static_cast<double>(step) / 2 : 0;
    path.move(run.front().first - half, frame.y(run.front().second.high));
    for (const auto& [x, c] : run) path.line(x + (run.size() == 1 ? half : 0), frame.y(c.high));
    for (auto it = run.rbegin(); it != run.rend(); ++it) {
      path.line(it->first + (run.size() == 1 ? half : 0), frame.y(it->second.low));
    }
    if (run.size() == 1) path.line(run.front().first - half, frame.y(run.front().second.low));
    path.close();
    run.clear();
  };
  for (std::size_t i = 0; i < columns.size(); i += step) {
    const std::size_t end = std::min(columns.size(), i + step);
    const BandColumn c = merged(columns, i, end);
    if (!c.any) continue;
    if (c.broken_before) flush();
    run.emplace_back(frame.x(static_cast<double>(i + end) / 2), c);
  }
  flush();
  return path.take();
}

std::vector<double> spread(const std::vector<double>& wanted, double gap, double low, double high) {
  std::vector<std::size_t> order(wanted.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return wanted[a] < wanted[b]; });
  struct Cluster {
    std::size_t count;
    double sum;  // of the wanted places, each less its offset within the cluster
    double start;
  };
  if (wanted.size() > 1) gap = std::min(gap, (high - low) / static_cast<double>(wanted.size() - 1));
  std::vector<Cluster> clusters;
  const auto settle = [&](Cluster& c) {
    const double length = gap * static_cast<double>(c.count - 1);
    c.start = std::clamp(c.sum / static_cast<double>(c.count), low, std::max(low, high - length));
  };
  for (const std::size_t i : order) {
    clusters.push_back({1, wanted[i], wanted[i]});
    settle(clusters.back());
    while (clusters.size() > 1) {
      Cluster& last = clusters.back();
      Cluster& before = clusters[clusters.size() - 2];
      const double reach = gap * static_cast<double>(before.count);
      if (before.start + reach <= last.start + 1e-9) break;
      before.sum += last.sum - reach * static_cast<double>(last.count);
      before.count += last.count;
      clusters.pop_back();
      settle(before);
    }
  }
  std::vector<double> out(wanted.size());
  std::size_t at = 0;
  for (const Cluster& c : clusters) {
    for (std::size_t k = 0; k < c.count; ++k) out[order[at++]] = c.start + gap * static_cast<double>(k);
  }
  return out;
}

}  // namespace mikroscope::plot
