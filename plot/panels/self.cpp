#include "plot/panels.h"

namespace mikroscope::plot {

constexpr Pick kPicks[] = {{.table = "self",
                            .column = "cpu_us",
                            .take = Take::rate,
                            .label = "agent",
                            .hue = kSlate,
                            .scale = 1e-4}};
const Panel kSelfPanel{.name = "self",
                       .title = "The agent itself: CPU",
                       .unit = "% of one core",
                       .picks = kPicks,
                       .height = 64,
                       .help = "what observing costs, as a share of one core"};

}  // namespace mikroscope::plot
