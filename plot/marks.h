// What is written over the panels: the recording's own markers, and what the recording itself tells (gaps,
// restarts, triggers, clock steps).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plot/collect.h"
#include "plot/markers.h"
#include "plot/timeline.h"

namespace mikroscope::plot {

struct Mark {
  std::int64_t axis_ns = 0;
  std::optional<std::int64_t> until_ns;
  std::string kind;
  std::string label;         // clean text
  std::uint32_t folded = 0;  // further log markers of the same second that this one stands for
};

// The markers of a file on the axis: by boot_ns where they have one, else by wall clock. Sorted by time.
std::vector<Mark> place_markers(const std::vector<Marker>& markers, const Timeline& timeline);

// Adds a mark for each gap, restart, trigger and clock step that no marker of the file tells of already.
void add_own_marks(const Collected& collected, const Timeline& timeline, std::vector<Mark>& marks);

struct MarkCounts {
  std::uint32_t outside = 0;
  std::uint32_t folded = 0;
};
// Leaves out what lies outside the window (an interval that reaches into it stays, cut to it), and folds log
// markers of the same second into the first ("12 x interface: ..."). Anything that is no log marker ends a
// fold.
MarkCounts window_marks(const Grid& grid, std::vector<Mark>& marks);

}  // namespace mikroscope::plot
