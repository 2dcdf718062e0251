// Column numbers of the tables that the agent's sampler fills itself: timing and subtick.
#pragma once

#include <cstdint>

namespace mikroscope::proc {

enum TimingColumn : std::uint32_t { kTimingOffsetNs, kTimingReadNs };

enum SubtickColumn : std::uint32_t {
  kSubtickBusyMin,
  kSubtickBusyMax,
  kSubtickBusyLast,
  kSubtickProcessedMin,
  kSubtickProcessedMax,
  kSubtickProcessedLast,
  kSubtickDroppedMax,
  kSubtickSqueezeMax,
  kSubtickIntervalNs,
};

}  // namespace mikroscope::proc
