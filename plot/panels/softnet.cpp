#include "plot/panels.h"

namespace mikroscope::plot {

constexpr Pick kPicks[] = {
    {.table = "softnet", .column = "dropped", .take = Take::rate, .label = "dropped", .hue = kRed},
    {.table = "softnet",
     .column = "time_squeeze",
     .take = Take::rate,
     .label = "time_squeeze",
     .hue = kSlate},
};
const Panel kSoftnetPanel{
    .name = "softnet",
    .title = "Packet backlog, all CPUs",
    .unit = "per s",
    .picks = kPicks,
    .help = "packets dropped because a backlog was full, and receive rounds cut short by their budget"};

}  // namespace mikroscope::plot
