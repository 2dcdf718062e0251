#include "plot/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/host/files.h"
#include "base/host/suggest.h"
#include "plot/dataset.h"
#include "plot/figure.h"
#include "plot/machine.h"
#include "plot/output.h"
#include "plot/panel.h"
#include "plot/panels.h"
#include "plot/recording.h"
#include "plot/window.h"

namespace mikroscope::plot {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::uint32_t kDualSmooth = 5;

// One input on its way to a figure.
struct Job {
  InputPaths paths;
  RecordingIndex index;  // of a recording
  DataSet dataset;       // of a data set
  bool dual = false;
  std::vector<const Panel*> panels;
  std::vector<Mark> marks;
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::int64_t interval_ns = 0;
  std::int64_t from_ns = 0;  // the window
  std::int64_t to_ns = 0;
  std::uint32_t smooth = 1;
  Figure figure;
  FigureSummary summary;
};

std::string base_name(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

base::Result<std::vector<const Panel*>> chosen_panels(const std::vector<std::string>& names) {
  std::vector<const Panel*> out;
  for (const std::string& name : names) {
    const Panel* const panel = find_panel(name);
    if (panel == nullptr) {
      std::vector<std::string> known;
      std::string list;
      for (const Panel* p : all_panels()) {
        known.emplace_back(p->name);
        list += (list.empty() ? "" : ", ") + std::string(p->name);
      }
      const std::string near = base::closest(name, known);
      return base::Error{
          fmt::format("there is no panel \"{}\"", name),
          near.empty() ? "panels are " + list : fmt::format("did you mean {}? panels are {}", near, list),
          base::Exit::usage};
    }
    if (std::find(out.begin(), out.end(), panel) == out.end()) out.push_back(panel);
  }
  if (names.empty()) out.assign(all_panels().begin(), all_panels().end());
  return out;
}

base::Result<void> check_options(const PlotOptions& o) {
  const auto usage = [](std::string what, std::string fix) {
    return base::Error{std::move(what), std::move(fix), base::Exit::usage};
  };
  if (o.inputs.empty()) return usage("plot needs --in", "mikroscope plot --in <recording prefix>");
  if (o.inputs.size() > 1 && !o.out.empty()) {
    return usage("--out names one file, and there are several inputs",
                 "leave --out away: each input gets <prefix>.svg");
  }
  if (o.width != 0 && (o.width < 640 || o.width > 4000)) {
    return usage(fmt::format("a width of {} is outside 640..4000", o.width), {});
  }
  if (o.height > 20000) return usage(fmt::format("a height of {} is above 20000", o.height), {});
  return {};
}

class Plotter {
 public:
  explicit Plotter(const PlotOptions& options) : o_(options) {}

  base::Result<PlotSummary> run() {
    if (auto ok = check_options(o_); !ok) return ok.error();
    auto panels = chosen_panels(o_.panels);
    if (!panels) return panels.error();
    jobs_.resize(o_.inputs.size());
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
      if (auto ok = load(o_.inputs[i], *panels, jobs_[i]); !ok) return ok.error();
    }
    if (o_.share_axes) share_time();
    for (Job& job : jobs_) {
      if (auto ok = read(job); !ok) return ok.error();
    }
    const std::vector<SharedRange> shared = o_.share_axes ? shared_ranges() : std::vector<SharedRange>();
    PlotSummary summary;
    summary.checked = o_.check;
    for (Job& job : jobs_) {
      if (auto ok = write(job, shared); !ok) return ok.error();
      summary.figures.push_back(std::move(job.summary));
    }
    return summary;
  }

 private:
  base::Result<void> load(const std::string& input, const std::vector<const Panel*>& panels, Job& job);
  base::Result<void> load_recording(Job& job);
  base::Result<void> load_dataset_files(Job& job);
  base::Result<void> window(Job& job);
  void share_time();
  Grid grid_of(const Job& job) const;
  std::uint32_t smooth_of(const Job& job, const Grid& grid) const;
  base::Result<void> read(Job& job);
  void leave_out(Job& job);
  std::vector<SharedRange> shared_ranges() const;
  base::Result<void> write(Job& job, const std::vector<SharedRange>& shared);

  const PlotOptions& o_;
  std::vector<Job> jobs_;
  double shared_low_s_ = 0;  // --share-axes: seconds after t0
  double shared_high_s_ = 0;
};

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
  auto index = index_recording(job.paths.data);
  if (!index) return index.error();
  job.index = std::move(*index);
  if (job.index.samples == 0) {
    return base::Error{fmt::format("{}: no samples", job.paths.data),
                       job.index.lines == 0 ? "the file is empty" : "is it a recording?",
                       base::Exit::no_data};
  }
  auto markers = load_markers(job.paths.prefix + ".markers.csv");
  if (markers) {
    job.marks = place_markers(markers->markers, job.index.timeline);
    for (std::string& warning : markers->warnings) job.summary.notes.push_back(std::move(warning));
  } else {
    job.summary.notes.push_back("markers not drawn: " + markers.error().what);
  }
  job.end_ns = job.index.timeline.last();
  job.interval_ns = job.index.interval_ns;
  job.figure.sha256 = job.index.sha256;
  job.figure.machine = machine_line(job.paths.prefix + ".meta.json");
  return {};
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

base::Result<void> Plotter::read(Job& job) {
  const Grid grid = grid_of(job);
  job.smooth = smooth_of(job, grid);
  Figure& f = job.figure;
  if (job.paths.dataset) {
    f.data = collect_dataset(job.dataset, grid, job.smooth);
    f.background = job.dataset.background;
  } else {
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

base::Result<void> Plotter::write(Job& job, const std::vector<SharedRange>& shared) {
  const std::string out = o_.out.empty() ? job.paths.prefix + ".svg" : o_.out;
  struct File {
    Theme theme;
    std::string path;
  };
  std::vector<File> files;
  if (o_.theme == Theme::both) {
    files = {{Theme::light, themed_name(out, "light")}, {Theme::dark, themed_name(out, "dark")}};
  } else {
    files = {{o_.theme, out}};
  }
  for (const File& file : files) {
    const Drawn drawn =
        job.dual ? draw_dual(job.figure, file.theme, shared) : draw_panels(job.figure, file.theme, shared);
    job.summary.markers_without_chip = drawn.markers_without_chip;
    if (auto ok = o_.check ? compare_file(file.path, drawn.svg) : base::replace_file(file.path, drawn.svg);
        !ok) {
      return ok;
    }
    job.summary.files.push_back(file.path);
  }
  return {};
}

}  // namespace

bool layout_from_name(std::string_view name, Layout& out) {
  if (name == "auto") {
    out = Layout::automatic;
  } else if (name == "panels") {
    out = Layout::panels;
  } else if (name == "dual") {
    out = Layout::dual;
  } else {
    return false;
  }
  return true;
}

bool theme_from_name(std::string_view name, Theme& out) {
  if (name == "auto") {
    out = Theme::automatic;
  } else if (name == "light") {
    out = Theme::light;
  } else if (name == "dark") {
    out = Theme::dark;
  } else if (name == "both") {
    out = Theme::both;
  } else {
    return false;
  }
  return true;
}

base::Result<PlotSummary> plot(const PlotOptions& options) {
  return Plotter(options).run();
}

}  // namespace mikroscope::plot
