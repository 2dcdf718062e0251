#include "plot/panels.h"

namespace mikroscope::plot {

constexpr Pick kPicks[] = {
    {.table = "cpu", .column = "", .take = Take::busy, .rows = Rows::each, .label = "core "}};
const Panel kCoresPanel{.name = "cores",
                        .title = "CPU busy per core",
                        .unit = "%",
                        .picks = kPicks,
                        .y = YRule::percent,
                        .height = 128,
                        .help = "busy share of each core, one line each"};

}  // namespace mikroscope::plot
