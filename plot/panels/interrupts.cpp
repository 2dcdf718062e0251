#include "plot/panels.h"

namespace mikroscope::plot {

constexpr Pick kPicks[] = {
    {.table = "irq_cpu", .column = "count", .take = Take::rate, .rows = Rows::top, .by = 0, .name = 1}};
const Panel kInterruptsPanel{.name = "interrupts",
                             .title = "Interrupts",
                             .unit = "per s",
                             .picks = kPicks,
                             .help = "the most frequent interrupts by name, all CPUs together"};

}  // namespace mikroscope::plot
