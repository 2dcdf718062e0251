#include "plot/panels.h"

namespace mikroscope::plot {

constexpr Pick kPicks[] = {
    {.table = "cpu", .column = "", .take = Take::busy_idle, .rows = Rows::each, .label = "core "}};
const Panel kIdlePanel{
    .name = "idle",
    .title = "CPU busy per core, by idle time",
    .unit = "%",
    .picks = kPicks,
    .y = YRule::percent,
    .height = 84,
    .help = "busy share of each core by its time in idle states; finer than the kernel's ticks"};

}  // namespace mikroscope::plot
