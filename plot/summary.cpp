// The lines that the command prints.

#include <fmt/format.h>

#include "plot/plot.h"

namespace mikroscope::plot {
namespace {

std::string counted(std::uint64_t n, std::string_view thing) {
  return fmt::format("{} {}{}", n, thing, n == 1 ? "" : "s");
}

std::string figure_text(const FigureSummary& f, bool checked) {
  std::string out;
  for (std::size_t i = 0; i < f.files.size(); ++i) out += (i == 0 ? "" : ", ") + f.files[i];
  out += checked ? ": fresh, " : ": ";
  out += counted(f.samples, "sample");
  if (f.samples_outside != 0) out += fmt::format(" ({} outside the window)", f.samples_outside);
  out += ", " + counted(f.markers_drawn, "marker");
  std::string of_markers;
  const auto add = [&](std::uint32_t n, std::string_view what) {
    if (n != 0) of_markers += fmt::format("{}{} {}", of_markers.empty() ? "" : ", ", n, what);
  };
  add(f.markers_folded, "folded");
  add(f.markers_outside, "outside the window");
  add(f.markers_without_chip, "without room for a label");
  if (!of_markers.empty()) out += fmt::format(" ({})", of_markers);
  if (f.gaps != 0)
    out += fmt::format(", {}, {} lost", counted(f.gaps, "gap"), counted(f.samples_lost, "sample"));
  if (f.restarts != 0) out += ", " + counted(f.restarts, "restart");
  if (f.lines_skipped != 0) out += ", " + counted(f.lines_skipped, "unreadable line") + " skipped";
  if (f.cut_last_line) out += ", a cut last line skipped";
  if (!f.panels_left_out.empty()) {
    out += "\n  left out: ";
    for (std::size_t i = 0; i < f.panels_left_out.size(); ++i)
      out += (i == 0 ? "" : "; ") + f.panels_left_out[i];
  }
  for (const std::string& note : f.notes) out += "\n  note: " + note;
  return out;
}

}  // namespace

std::string PlotSummary::text() const {
  std::string out;
  for (const FigureSummary& f : figures) out += (out.empty() ? "" : "\n") + figure_text(f, checked);
  return out;
}

}  // namespace mikroscope::plot
