#include "plot/panels.h"

namespace mikroscope::plot {

constexpr Pick kPicks[] = {
    {.table = "stat", .column = "ctxt", .take = Take::rate, .label = "switches", .hue = kViolet},
    {.table = "stat", .column = "intr", .take = Take::rate, .label = "interrupts", .hue = kOchre},
};
const Panel kContextPanel{.name = "context",
                          .title = "Context switches and all interrupts",
                          .unit = "per s",
                          .picks = kPicks,
                          .help = "context switches and interrupts of the whole machine"};

}  // namespace mikroscope::plot
