#include "plot/panels.h"

namespace mikroscope::plot {

constexpr double kMib = 1.0 / 1024;
constexpr Pick kPicks[] = {{.table = "mem",
                            .column = "total_kb",
                            .label = "used",
                            .hue = kTeal,
                            .scale = kMib,
                            .minus = "available_kb"}};
const Panel kMemoryPanel{.name = "memory",
                         .title = "Memory used",
                         .unit = "MiB",
                         .picks = kPicks,
                         .y = YRule::around,
                         .help = "total less available memory"};

}  // namespace mikroscope::plot
