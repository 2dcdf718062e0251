#include "sinks/detections/detection.h"

namespace mikroscope::sinks {

extern const DetectionDef kReboot;
extern const DetectionDef kAgentRestart;
extern const DetectionDef kAgentOom;
extern const DetectionDef kCounterReset;
extern const DetectionDef kLinkFlap;
extern const DetectionDef kL2Loop;
extern const DetectionDef kStpChurn;
extern const DetectionDef kConntrackHigh;
extern const DetectionDef kConntrackCliff;
extern const DetectionDef kThermalHigh;
extern const DetectionDef kThermalRising;
extern const DetectionDef kCorePinnedQueue;
extern const DetectionDef kMicroburst;
extern const DetectionDef kIpcCollapse;

std::span<const DetectionDef* const> all_detections() {
  static constexpr const DetectionDef* kAll[] = {
      &kReboot,        &kAgentRestart,    &kAgentOom,      &kCounterReset,   &kLinkFlap,
      &kL2Loop,        &kStpChurn,        &kConntrackHigh, &kConntrackCliff, &kThermalHigh,
      &kThermalRising, &kCorePinnedQueue, &kMicroburst,    &kIpcCollapse,
  };
  return kAll;
}

}  // namespace mikroscope::sinks
