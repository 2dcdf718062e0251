// Reading: from the samples of a window to a figure that only needs to be drawn.
#include <fmt/format.h>

#include <algorithm>

#include "plot/panels.h"
#include "plot/plotter.h"

namespace mikroscope::plot {
namespace {

std::string base_name(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

}  // namespace

// One pass, where the guess from the ends of the file holds. Where something lies between that no guess can
// know of, the axis is found first: job.quick is false then, and nothing has been collected.
base::Result<void> Plotter::collect_quickly(Job& job, const Grid& grid) {
  WholePass whole;
  whole.hash = !job.hash_from_meta;
  auto collected = collect(job.paths.data, job.index, grid, job.panels, job.smooth, &whole);
  if (!collected) return collected.error();
  const bool hashed = job.hash_from_meta || !whole.sha256.empty();
  if (whole.timeline.last() != job.end_ns || whole.timeline.boots() != 1 || !hashed) {
    if (auto ok = load_whole(job); !ok) return ok;
    return window(job);
  }
  if (whole.hash) job.figure.sha256 = whole.sha256;
  job.index.samples = whole.samples;
  job.index.timeline = std::move(whole.timeline);
  place(job);
  job.figure.data = std::move(*collected);
  return {};
}

base::Result<void> Plotter::read(Job& job) {
  Grid grid = grid_of(job);
  job.smooth = smooth_of(job, grid);
  if (job.quick) {
    if (auto ok = collect_quickly(job, grid); !ok) return ok;
    grid = grid_of(job);
    job.smooth = smooth_of(job, grid);
  }
  Figure& f = job.figure;
  if (job.paths.dataset) {
    f.data = collect_dataset(job.dataset, grid, job.smooth);
    f.background = job.dataset.background;
  } else if (!job.quick) {
    auto collected = collect(job.paths.data, job.index, grid, job.panels, job.smooth);
    if (!collected) return collected.error();
    f.data = std::move(*collected);
  }
  if (f.data.samples == 0) {
    return base::Error{
        fmt::format("{}: no samples between --from and --to", job.paths.data), {}, base::Exit::no_data};
  }
  f.title = o_.title.empty() ? base_name(job.paths.prefix) : o_.title;
  f.file = base_name(job.paths.data);
  f.version = o_.version;
  f.interval_ns = job.interval_ns;
  f.width = o_.width == 0 ? 1200 : o_.width;
  f.height = o_.height;
  leave_out(job);

  f.marks = std::move(job.marks);
  if (!job.paths.dataset) add_own_marks(f.data, job.index.timeline, f.marks);
  const MarkCounts counts = window_marks(grid, f.marks);
  FigureSummary& s = job.summary;
  s.markers_outside = counts.outside;
  s.markers_folded = counts.folded;
  s.markers_drawn = static_cast<std::uint32_t>(f.marks.size());
  s.samples = f.data.samples;
  const std::uint64_t all = job.paths.dataset ? job.dataset.rows.size() : job.index.samples;
  s.samples_outside = all - std::min(all, f.data.samples);
  s.lines_skipped = f.data.lines_skipped;
  s.cut_last_line = f.data.cut_last_line;
  for (const Break& b : f.data.breaks) {
    s.gaps += b.lost != 0 ? 1 : 0;
    s.samples_lost += b.lost;
    s.restarts += b.restart ? 1 : 0;
  }
  if (!f.data.first_skipped.empty()) s.notes.push_back("first line skipped: " + f.data.first_skipped);
  if (f.data.gaps_at_end != 0)
    s.notes.push_back(fmt::format("{} samples lost after the last one", f.data.gaps_at_end));
  if (f.data.rows_not_kept != 0)
    s.notes.push_back(fmt::format("{} rows beyond the 512 of one panel not drawn", f.data.rows_not_kept));
  if (job.paths.data.ends_with(".part"))
    s.notes.push_back("the recording was not finished (its file is a .part)");
  return {};
}

// Panels without data, and those that would repeat another one.
void Plotter::leave_out(Job& job) {
  std::vector<PanelData> kept;
  for (PanelData& p : job.figure.data.panels) {
    const std::string name(p.panel->name);
    const bool data = p.panel->draw == Draw::events ? !job.figure.data.events.empty() : !p.series.empty();
    const bool repeats = o_.panels.empty() && job.figure.data.cores < 2 &&
                         (p.panel == &kCoresPanel || p.panel == &kHeatPanel) && !job.dual;
    if (!data) {
      job.summary.panels_left_out.push_back(name + ": no data");
      job.figure.panels_left_out.push_back(name);
    } else if (repeats) {
      job.summary.panels_left_out.push_back(name + ": there is one core");
    } else {
      job.summary.panels.push_back(name);
      kept.push_back(std::move(p));
    }
  }
  if (job.paths.dataset) {
    for (const Panel* p : job.panels) {
      const bool has =
          std::any_of(kept.begin(), kept.end(), [&](const PanelData& k) { return k.panel == p; });
      if (!has && !o_.panels.empty()) {
        job.summary.panels_left_out.push_back(std::string(p->name) + ": a data set has no such values");
      }
    }
  }
  job.figure.data.panels = std::move(kept);
}

std::vector<SharedRange> Plotter::shared_ranges() const {
  std::vector<SharedRange> out;
  for (const Job& job : jobs_) {
    for (const PanelData& p : job.figure.data.panels) {
      auto range = y_range(p);
      if (!range) continue;
      if (job.dual) range = YRange{p.series.front().series.line_low(), p.series.front().series.line_high()};
      const auto known = std::find_if(out.begin(), out.end(),
                                      [&](const SharedRange& s) { return s.panel == p.panel->name; });
      if (known == out.end()) {
        out.push_back({std::string(p.panel->name), *range});
      } else {
        known->range.low = std::min(known->range.low, range->low);
        known->range.high = std::max(known->range.high, range->high);
      }
    }
  }
  return out;
}

}  // namespace mikroscope::plot
