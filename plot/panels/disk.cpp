#include "plot/panels/panels.h"

namespace mikroscope::plot {

constexpr double kKibPerSector = 0.5;
constexpr Pick kPicks[] = {
    {.table = "disk",
     .column = "read_sectors",
     .take = Take::rate,
     .label = "read",
     .hue = kBlue,
     .scale = kKibPerSector},
    {.table = "disk",
     .column = "write_sectors",
     .take = Take::rate,
     .label = "written",
     .hue = kOrange,
     .scale = kKibPerSector},
};
const Panel kDiskPanel{.name = "disk",
                       .title = "Disk, all devices",
                       .unit = "KiB/s",
                       .picks = kPicks,
                       .height = 72,
                       .help = "what all block devices together read and wrote"};

}  // namespace mikroscope::plot
