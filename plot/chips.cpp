#include "plot/chips.h"

#include <algorithm>

#include "plot/svg_text.h"

namespace mikroscope::plot {
namespace {

// Chips are placed from left to right, but a flag turned to the left at the right edge may reach back over
// earlier ones: a row is free where none of its chips overlaps.
bool is_free(const std::vector<Chip>& chips, int row, double x, double width, double gap) {
  return std::none_of(chips.begin(), chips.end(), [&](const Chip& c) {
    return c.row == row && x < c.x + c.width + gap && c.x < x + width + gap;
  });
}

double place(double rule_x, double width, const ChipStyle& style) {
  double x = style.centred ? rule_x - width / 2 : rule_x;
  if (x + width > style.right) x = style.centred ? style.right - width : rule_x - width;
  return std::max(x, style.left);
}

}  // namespace

ChipLayout place_chips(const std::vector<Mark>& marks, const std::vector<double>& x_of,
                       const ChipStyle& style) {
  constexpr std::size_t kShort = 10;  // a label is cut to this before it is given up
  ChipLayout out;
  for (std::size_t i = 0; i < marks.size(); ++i) {
    if (marks[i].label.empty()) continue;
    bool placed = false;
    std::string before;
    for (const std::size_t cells : {style.cells, style.cells / 2, kShort}) {
      const std::string text = cut_cells(marks[i].label, cells);
      if (text == before) continue;
      before = text;
      const double text_w = style.per_cell > 0 ? style.per_cell * static_cast<double>(text_cells(text))
                                               : text_width(text, style.font_px);
      const double width = text_w + style.padding;
      if (width > style.right - style.left) continue;
      const double x = place(x_of[i], width, style);
      for (int row = 0; row < style.rows && !placed; ++row) {
        if (!is_free(out.chips, row, x, width, style.gap)) continue;
        out.chips.push_back({x, width, x_of[i], row, text, hue_of_kind(marks[i].kind)});
        out.rows = std::max(out.rows, row + 1);
        placed = true;
      }
      if (placed) break;
    }
    if (!placed) ++out.without;
  }
  return out;
}

}  // namespace mikroscope::plot
