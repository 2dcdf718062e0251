// Labels above the panels, laid out so that no two touch.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plot/marks.h"
#include "plot/palette.h"

namespace mikroscope::plot {

struct Chip {
  double x = 0;  // left edge
  double width = 0;
  double rule_x = 0;
  int row = 0;  // 0 is the one next to the panels
  std::string text;
  Hue hue = kSlate;
};

struct ChipStyle {
  double left = 0;  // no chip reaches beyond these
  double right = 0;
  int rows = 8;            // at most
  std::size_t cells = 40;  // longest label
  bool centred = false;    // over its rule; otherwise it starts at its rule like a flag
  double gap = 4;          // between two chips of a row
  double font_px = 11;
  // Width of the text: cells times this, or with 0 an estimate by character.
  double per_cell = 0;
  double padding = 12;  // both sides together
};

struct ChipLayout {
  std::vector<Chip> chips;    // in the order of time
  int rows = 0;               // in use
  std::uint32_t without = 0;  // marks whose label found no room
};

// `x_of` are the marks' places on the figure, in the same order (by time).
ChipLayout place_chips(const std::vector<Mark>& marks, const std::vector<double>& x_of,
                       const ChipStyle& style);

}  // namespace mikroscope::plot
