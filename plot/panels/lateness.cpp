#include "plot/panels.h"

namespace mikroscope::plot {

constexpr Pick kPicks[] = {
    {.table = "self", .column = "wake_ns", .label = "late", .hue = kSlate, .scale = 1e-3}};
const Panel kLatenessPanel{.name = "lateness",
                           .title = "The agent itself: wake-up lateness",
                           .unit = "\xC2\xB5s",
                           .picks = kPicks,
                           .height = 64,
                           .help = "how long after its instant each sample was begun"};

}  // namespace mikroscope::plot
