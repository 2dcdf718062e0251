// Every panel that exists, each defined in the file of its name in plot/panels/.
#pragma once

#include "plot/panel.h"

namespace mikroscope::plot {

extern const Panel kTotalPanel;
extern const Panel kCoresPanel;
extern const Panel kHeatPanel;
extern const Panel kCyclesPanel;
extern const Panel kIdlePanel;
extern const Panel kSoftnetPanel;
extern const Panel kPacketsPanel;
extern const Panel kSoftirqPanel;
extern const Panel kInterruptsPanel;
extern const Panel kContextPanel;
extern const Panel kMemoryPanel;
extern const Panel kLoadPanel;
extern const Panel kTemperaturePanel;
extern const Panel kFrequencyPanel;
extern const Panel kConntrackPanel;
extern const Panel kDiskPanel;
extern const Panel kFlashPanel;
extern const Panel kEventsPanel;
extern const Panel kSelfPanel;
extern const Panel kSelfMemoryPanel;
extern const Panel kLatenessPanel;

}  // namespace mikroscope::plot
