#include "plot/panels.h"

namespace mikroscope::plot {

constexpr Pick kPicks[] = {
    {.table = "softnet", .column = "processed", .take = Take::rate, .rows = Rows::each, .label = "core "}};
const Panel kPacketsPanel{
    .name = "packets",
    .title = "Packets processed per core",
    .unit = "per s",
    .picks = kPicks,
    .help = "packets that the network stack took in, by core: one hot core is not hidden in a sum"};

}  // namespace mikroscope::plot
