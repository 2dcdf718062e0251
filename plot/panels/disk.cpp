#include "plot/panels.h"

namespace mikroscope::plot {

// By device: a sum over all rows would count a partition twice, once for its disk.
constexpr double kKibPerSector = 0.5;
constexpr Pick kPicks[] = {
    {.table = "disk",
     .column = "write_sectors",
     .take = Take::rate,
     .rows = Rows::top,
     .label = "write ",
     .scale = kKibPerSector},
    {.table = "disk",
     .column = "read_sectors",
     .take = Take::rate,
     .rows = Rows::top,
     .label = "read ",
     .scale = kKibPerSector},
};
const Panel kDiskPanel{.name = "disk",
                       .title = "Disk",
                       .unit = "KiB/s",
                       .picks = kPicks,
                       .height = 72,
                       .help = "what the busiest block devices and partitions read and wrote"};

}  // namespace mikroscope::plot
