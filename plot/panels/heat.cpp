#include "plot/panels.h"

namespace mikroscope::plot {

constexpr Pick kPicks[] = {{.table = "cpu", .column = "", .take = Take::busy, .rows = Rows::each}};
const Panel kHeatPanel{
    .name = "heat",
    .title = "CPU busy per core, over time",
    .unit = "%",
    .picks = kPicks,
    .y = YRule::percent,
    .draw = Draw::heat,
    .help =
        "one strip per core, darker is busier: shows which core is loaded, and work moving between cores"};

}  // namespace mikroscope::plot
