// Durations counted into fixed classes: no division, no floating point.
#pragma once

#include <cstdint>
#include <span>

#include "base/format.h"

namespace mikroscope::agent {

constexpr std::uint32_t kDurationBounds_us[] = {2,    5,    10,   20,    50,    100,   200,   500,
                                                1000, 2000, 5000, 10000, 20000, 50000, 100000};

struct Histogram {
  std::uint32_t counts[std::size(kDurationBounds_us) + 1] = {};  // the last: longer than every bound
  std::int64_t most_ns = 0;

  void add(std::int64_t ns) {
    if (ns > most_ns) most_ns = ns;
    std::size_t i = 0;
    while (i < std::size(kDurationBounds_us) && ns > static_cast<std::int64_t>(kDurationBounds_us[i]) * 1000)
      ++i;
    ++counts[i];
  }
};

}  // namespace mikroscope::agent
