#include "plot/panels.h"

namespace mikroscope::plot {

constexpr Pick kPicks[] = {
    {.table = "thermal", .column = "celsius", .rows = Rows::each, .hue = kOrange, .by = 0, .name = 0}};
const Panel kTemperaturePanel{.name = "temperature",
                              .title = "Temperature",
                              .unit =
                                  "\xC2\xB0"
                                  "C",
                              .picks = kPicks,
                              .y = YRule::around,
                              .height = 72,
                              .help = "each thermal zone"};

}  // namespace mikroscope::plot
