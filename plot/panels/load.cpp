#include "plot/panels.h"

namespace mikroscope::plot {

constexpr Pick kPicks[] = {
    {.table = "load", .column = "load1", .label = "1 min", .hue = kBlue},
    {.table = "load", .column = "procs_running", .label = "runnable", .hue = kOrange},
};
const Panel kLoadPanel{.name = "load",
                       .title = "Load",
                       .unit = "tasks",
                       .picks = kPicks,
                       .height = 72,
                       .help = "load average over one minute, and tasks that run or could at this instant"};

}  // namespace mikroscope::plot
