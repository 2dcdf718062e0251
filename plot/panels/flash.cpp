#include "plot/panels.h"

namespace mikroscope::plot {

constexpr Pick kPicks[] = {
    {.table = "flash", .column = "page_writes", .take = Take::rate, .label = "page writes", .hue = kOrange},
    {.table = "flash", .column = "erasures", .take = Take::rate, .label = "erasures", .hue = kRed},
    {.table = "flash", .column = "gc_copies", .take = Take::rate, .label = "gc copies", .hue = kSlate},
};
const Panel kFlashPanel{.name = "flash",
                        .title = "Flash",
                        .unit = "per s",
                        .picks = kPicks,
                        .height = 72,
                        .help = "page writes, erasures and garbage-collection copies of the NAND"};

}  // namespace mikroscope::plot
