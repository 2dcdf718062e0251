// Every panel, in the order in which they are drawn.

#include "plot/panels.h"

namespace mikroscope::plot {
namespace {

constexpr const Panel* kPanels[] = {
    &kTotalPanel,       &kCoresPanel,      &kHeatPanel,       &kCyclesPanel,  &kIdlePanel,   &kSoftnetPanel,
    &kPacketsPanel,     &kSoftirqPanel,    &kInterruptsPanel, &kContextPanel, &kMemoryPanel, &kLoadPanel,
    &kTemperaturePanel, &kFrequencyPanel,  &kConntrackPanel,  &kDiskPanel,    &kFlashPanel,  &kEventsPanel,
    &kSelfPanel,        &kSelfMemoryPanel, &kLatenessPanel,
};

}  // namespace

std::span<const Panel* const> all_panels() {
  return kPanels;
}

const Panel* find_panel(std::string_view name) {
  for (const Panel* panel : kPanels) {
    if (panel->name == name) return panel;
  }
  return nullptr;
}

}  // namespace mikroscope::plot
