#include "plot/panels.h"

namespace mikroscope::plot {

constexpr Pick kPicks[] = {
    {.table = "slab", .column = "active", .label = "entries", .hue = kViolet, .only = "nf_conntrack"},
    {.table = "slab", .column = "limit", .label = "limit", .only = "nf_conntrack", .limit = true},
};
const Panel kConntrackPanel{.name = "conntrack",
                            .title = "Tracked connections",
                            .unit = "entries",
                            .picks = kPicks,
                            .y = YRule::around,
                            .height = 72,
                            .help = "entries of the connection table, with its limit"};

}  // namespace mikroscope::plot
