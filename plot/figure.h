// Everything a figure shows, ready to draw; and the two ways to draw it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plot/collect.h"
#include "plot/marks.h"
#include "plot/palette.h"
#include "plot/plot.h"
#include "plot/scale.h"

namespace mikroscope::plot {

struct BackgroundSpan {
  double from_s = 0;  // after t0, both ends included
  double to_s = 0;
  bool smoothed = false;  // false: no sample outside of spans within a second of it, so it stays as it is
};

struct Figure {
  std::string title;
  std::string file;             // name of the input, without its directory
  std::string sha256;           // of that file
  bool hash_from_meta = false;  // as the recorder wrote it down, not computed from the file
  std::string version;
  std::string t0_label;  // what the axis counts from; empty: the start of the recording
  std::string machine;   // one line about the machine and the agent; may be empty
  std::int64_t t0_ns = 0;
  std::int64_t interval_ns = 0;
  Collected data;
  std::vector<Mark> marks;  // in the window
  std::vector<BackgroundSpan> background;
  std::vector<std::string> panels_left_out;
  std::uint32_t width = 1200;
  std::uint32_t height = 0;  // 0: as needed

  double seconds(std::int64_t axis_ns) const { return static_cast<double>(axis_ns - t0_ns) / 1e9; }
};

// The y axis of a panel, from its own values.
struct YRange {
  double low = 0;
  double high = 0;
};
std::optional<YRange> y_range(const PanelData& panel);

// The result of drawing besides the text: what the summary says.
struct Drawn {
  std::string svg;
  std::uint32_t markers_without_chip = 0;
};

// `shared` (from share_axes; may be empty): a y range by panel name that replaces the panels' own.
struct SharedRange {
  std::string panel;
  YRange range;
};
Drawn draw_panels(const Figure& figure, Theme theme, const std::vector<SharedRange>& shared);
// CPU of all cores and memory used (the panels total and memory must have been collected).
Drawn draw_dual(const Figure& figure, Theme theme, const std::vector<SharedRange>& shared);

// The drawing area of a panels figure of this width.
struct PlotArea {
  double left = 0;
  double right = 0;
};
PlotArea panels_area(std::uint32_t width);
PlotArea dual_area();

}  // namespace mikroscope::plot
