#include "plot/panels.h"

namespace mikroscope::plot {

const Panel kEventsPanel{.name = "events",
                         .title = "Kernel log",
                         .unit = "",
                         .picks = {},
                         .draw = Draw::events,
                         .height = 48,
                         .help = "records of the kernel log, by severity"};

}  // namespace mikroscope::plot
