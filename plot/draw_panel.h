// Draws one panel of a panels figure.
#pragma once

#include <string>
#include <vector>

#include "plot/figure.h"
#include "plot/svg.h"

namespace mikroscope::plot {

struct PanelPlace {
  double left = 0;  // of the plot
  double right = 0;
  double title_y = 0;  // baseline of its title
  double top = 0;      // of the plot
  double height = 0;
};

constexpr double kPanelTitle = 22;  // height of the title row

// As high as it wants to be (without its title row).
double wanted_height(const PanelData& panel);

// Under the data: grid, gaps, interval markers; then the data, rules, labels. `time` has the ticks to draw
// lines at; `merge` columns are drawn as one.
void draw_panel(Svg& svg, const Figure& figure, const PanelData& panel, const PanelPlace& place,
                const Scale& time, std::optional<YRange> range, std::uint32_t merge);

}  // namespace mikroscope::plot
