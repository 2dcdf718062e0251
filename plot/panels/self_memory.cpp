#include "plot/panels.h"

namespace mikroscope::plot {

constexpr double kMib = 1.0 / 1048576;
constexpr Pick kPicks[] = {
    {.table = "self", .column = "rss", .label = "resident", .hue = kSlate, .scale = kMib}};
const Panel kSelfMemoryPanel{.name = "self-memory",
                             .title = "The agent itself: memory",
                             .unit = "MiB",
                             .picks = kPicks,
                             .height = 48,
                             .help = "resident memory of the agent"};

}  // namespace mikroscope::plot
