// What a panel is. A new one is one file in plot/panels/ and one line in plot/panels/registry.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "plot/palette.h"

namespace mikroscope::plot {

enum class Take : std::uint8_t {
  level,        // the cell as it is
  rate,         // the cell per second of its interval
  busy,         // derived: busy share of one core, per cent (a row of table cpu)
  busy_total,   // derived: mean busy share of all cores, per cent
  busy_cycles,  // derived: busy share of one core by PMU cycles, per cent (a row of table cpu)
  busy_idle,    // derived: busy share of one core by its time in idle states, per cent
};

enum class Rows : std::uint8_t {
  sum,   // all rows together (and the only row of a keyless table): one series
  each,  // one series per value of the key `by`
  top,   // the same, and only those with the greatest sums are drawn
};

// Which cells become series.
struct Pick {
  std::string_view table;
  std::string_view column;
  Take take = Take::level;
  Rows rows = Rows::sum;
  std::string_view label = {};  // of the series; before the key for each/top ("core " gives "core 3")
  Hue hue = kBlue;              // the first one's; each/top go on from there
  double scale = 1;             // to the panel's unit
  std::string_view minus = {};  // column that is subtracted, cell by cell
  std::string_view only = {};   // rows of a text key with this value
  std::uint8_t by = 0;          // key column that tells series apart
  std::uint8_t name = 0;        // key column that labels them
  bool limit = false;           // a bound of the series before it, not a line: named in the panel's title
};

enum class YRule : std::uint8_t {
  percent,    // 0..100
  from_zero,  // 0..a round number above the greatest value
  around,     // round numbers around the least and the greatest value
};

enum class Draw : std::uint8_t {
  lines,
  heat,    // one strip per series, darker is more; for shares
  events,  // the kernel's log records
};

struct Panel {
  std::string_view name;  // as in --panels
  std::string_view title;
  std::string_view unit;
  std::span<const Pick> picks;
  YRule y = YRule::from_zero;
  Draw draw = Draw::lines;
  std::uint16_t height = 84;
  std::string_view help;  // one sentence for --help and the documentation
};

// In the order in which they are drawn.
std::span<const Panel* const> all_panels();
const Panel* find_panel(std::string_view name);

}  // namespace mikroscope::plot
