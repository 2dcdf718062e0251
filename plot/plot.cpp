#include "plot/plot.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/host/files.h"
#include "base/host/suggest.h"
#include "plot/output.h"
#include "plot/plotter.h"

namespace mikroscope::plot {
namespace {

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

}  // namespace

base::Result<PlotSummary> Plotter::run() {
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
