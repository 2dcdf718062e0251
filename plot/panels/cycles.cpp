#include "plot/panels.h"

namespace mikroscope::plot {

constexpr Pick kPicks[] = {
    {.table = "cpu", .column = "", .take = Take::busy_cycles, .rows = Rows::each, .label = "core "}};
const Panel kCyclesPanel{
    .name = "cycles",
    .title = "CPU busy per core, by cycles",
    .unit = "%",
    .picks = kPicks,
    .y = YRule::percent,
    .height = 84,
    .help = "busy share of each core by hardware cycles over its clock; finer than the kernel's ticks"};

}  // namespace mikroscope::plot
