// Loading: which files, what span of time.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "plot/machine.h"
#include "plot/panels.h"
#include "plot/plotter.h"
#include "plot/window.h"

namespace mikroscope::plot {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::uint32_t kDualSmooth = 5;

}  // namespace

base::Result<void> Plotter::load(const std::string& input, const std::vector<const Panel*>& panels,
                                 Job& job) {
  auto paths = find_input(input);
  if (!paths) return paths.error();
  job.paths = *paths;
  job.summary.input = job.paths.data;
  job.dual =
      o_.layout == Layout::dual || (o_.layout == Layout::automatic && job.paths.dataset && o_.panels.empty());
  job.panels = job.dual ? std::vector<const Panel*>{&kTotalPanel, &kMemoryPanel} : panels;
  if (auto ok = job.paths.dataset ? load_dataset_files(job) : load_recording(job); !ok) return ok;
  return window(job);
}

base::Result<void> Plotter::load_recording(Job& job) {
  job.figure.machine = machine_line(job.paths.prefix + ".meta.json");
  job.figure.sha256 = recorded_hash(job.paths);
  job.hash_from_meta = !job.figure.sha256.empty();
  job.figure.hash_from_meta = job.hash_from_meta;
  // The whole recording from its start needs one pass only; a window of it must first be found.
  if (o_.from.empty() && o_.to.empty() && o_.t0.empty() && !o_.share_axes) {
    if (auto ends = index_ends(job.paths.data)) {
      job.quick = true;
      job.index = std::move(ends->index);
      job.end_ns = ends->end_ns;
      job.interval_ns = job.index.interval_ns;
      return {};
    }
  }
  return load_whole(job);
}

base::Result<void> Plotter::load_whole(Job& job) {
  job.quick = false;
  auto index = index_recording(job.paths.data, !job.hash_from_meta);
  if (!index) return index.error();
  job.index = std::move(*index);
  if (!job.hash_from_meta) job.figure.sha256 = job.index.sha256;
  if (job.index.samples == 0) {
    return base::Error{fmt::format("{}: no samples", job.paths.data),
                       job.index.lines == 0 ? "the file is empty" : "is it a recording?",
                       base::Exit::no_data};
  }
  job.end_ns = job.index.timeline.last();
  job.interval_ns = job.index.interval_ns;
  place(job);
  return {};
}

// The markers, once the axis is known.
void Plotter::place(Job& job) {
  auto markers = load_markers(job.paths.prefix + ".markers.csv");
  if (markers) {
    job.marks = place_markers(markers->markers, job.index.timeline);
    for (std::string& warning : markers->warnings) job.summary.notes.push_back(std::move(warning));
  } else {
    job.summary.notes.push_back("markers not drawn: " + markers.error().what);
  }
}

base::Result<void> Plotter::load_dataset_files(Job& job) {
  auto data = load_dataset(job.paths.data, job.paths.prefix, o_.background);
  if (!data) return data.error();
  job.dataset = std::move(*data);
  smooth_background(job.dataset);
  job.marks = job.dataset.marks;
  job.start_ns = job.dataset.rows.front().axis_ns;
  job.end_ns = job.dataset.rows.back().axis_ns;
  job.interval_ns = job.dataset.interval_ns;
  job.figure.sha256 = job.dataset.sha256;
  for (std::string& note : job.dataset.notes) job.summary.notes.push_back(std::move(note));
  return {};
}

base::Result<void> Plotter::window(Job& job) {
  InstantContext context;
  context.timeline = job.paths.dataset ? nullptr : &job.index.timeline;
  context.marks = &job.marks;
  context.start_ns = job.start_ns;
  context.end_ns = job.end_ns;
  // What the axis counts from is called by its marker, where it is one.
  for (const Mark& m : job.marks) {
    const bool origin = o_.t0.empty() ? job.paths.dataset && m.axis_ns == 0 : m.label == o_.t0;
    if (origin && job.figure.t0_label.empty()) job.figure.t0_label = m.label;
  }
  if (!o_.t0.empty()) {
    const auto t0 = parse_instant(o_.t0, "--t0", context);
    if (!t0) return t0.error();
    context.t0_ns = *t0;
    if (job.figure.t0_label.empty() && *t0 != job.start_ns) job.figure.t0_label = o_.t0;
  }
  job.figure.t0_ns = context.t0_ns;
  job.from_ns = job.start_ns;
  job.to_ns = job.end_ns;
  if (!o_.from.empty()) {
    const auto from = parse_instant(o_.from, "--from", context);
    if (!from) return from.error();
    job.from_ns = std::max(*from, job.start_ns);
  }
  if (!o_.to.empty()) {
    const auto to = parse_instant(o_.to, "--to", context);
    if (!to) return to.error();
    job.to_ns = std::min(*to, job.end_ns);
  }
  if (job.from_ns > job.to_ns) {
    const auto s = [&](std::int64_t ns) { return static_cast<double>(ns - context.t0_ns) / 1e9; };
    return base::Error{fmt::format("--from and --to leave nothing of {}", job.paths.data),
                       fmt::format("it spans {:.1f} s to {:.1f} s", s(job.start_ns), s(job.end_ns)),
                       base::Exit::usage};
  }
  return {};
}

void Plotter::share_time() {
  bool first = true;
  for (const Job& job : jobs_) {
    const double low = job.figure.seconds(job.from_ns);
    const double high = job.figure.seconds(job.to_ns);
    shared_low_s_ = first ? low : std::min(shared_low_s_, low);
    shared_high_s_ = first ? high : std::max(shared_high_s_, high);
    first = false;
  }
}

Grid Plotter::grid_of(const Job& job) const {
  const PlotArea area = job.dual ? dual_area() : panels_area(o_.width == 0 ? 1200 : o_.width);
  Grid grid;
  grid.columns = static_cast<std::uint32_t>(area.right - area.left);
  grid.first_ns = grid.from_ns = job.from_ns;
  grid.last_ns = grid.to_ns = job.to_ns;
  const auto to_axis = [&](double s) { return job.figure.t0_ns + std::llround(s * 1e9); };
  if (o_.share_axes) {
    grid.from_ns = to_axis(shared_low_s_);
    grid.to_ns = to_axis(shared_high_s_);
  }
  if (job.dual && grid.to_ns - grid.from_ns > 2 * kSecond) {
    grid.from_ns = to_axis(std::floor(job.figure.seconds(grid.from_ns) + 1e-9));
    grid.to_ns = to_axis(std::ceil(job.figure.seconds(grid.to_ns) - 1e-9));
  }
  if (grid.to_ns <= grid.from_ns)
    grid.to_ns = grid.from_ns + std::max<std::int64_t>(job.interval_ns, kSecond / 10);
  return grid;
}

std::uint32_t Plotter::smooth_of(const Job& job, const Grid& grid) const {
  if (o_.smooth != 0) return o_.smooth;
  const std::uint32_t smooth = automatic_smooth(grid.to_ns - grid.from_ns, job.interval_ns, grid.columns);
  return job.dual ? std::max(smooth, kDualSmooth) : smooth;
}

}  // namespace mikroscope::plot
