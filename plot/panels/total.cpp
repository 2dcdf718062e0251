#include "plot/panels.h"

namespace mikroscope::plot {

constexpr Pick kPicks[] = {{.table = "cpu", .column = "", .take = Take::busy_total, .label = "busy"}};
const Panel kTotalPanel{.name = "total",
                        .title = "CPU busy, all cores",
                        .unit = "%",
                        .picks = kPicks,
                        .y = YRule::percent,
                        .height = 128,
                        .help = "mean busy share of all cores"};

}  // namespace mikroscope::plot
