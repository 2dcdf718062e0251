#include "plot/panels.h"

namespace mikroscope::plot {

constexpr Pick kPicks[] = {{.table = "softirq", .column = "count", .take = Take::rate, .rows = Rows::top}};
const Panel kSoftirqPanel{.name = "softirq",
                          .title = "Soft interrupts",
                          .unit = "per s",
                          .picks = kPicks,
                          .help = "the most frequent kinds of soft interrupts, all CPUs together"};

}  // namespace mikroscope::plot
