#include "plot/panels.h"

namespace mikroscope::plot {

constexpr Pick kPicks[] = {
    {.table = "cpufreq", .column = "khz", .rows = Rows::each, .label = "core ", .scale = 1e-3}};
const Panel kFrequencyPanel{.name = "frequency",
                            .title = "Clock frequency",
                            .unit = "MHz",
                            .picks = kPicks,
                            .height = 72,
                            .help = "clock of each core"};

}  // namespace mikroscope::plot
