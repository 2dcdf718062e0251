// Column numbers of the table load, which two files fill: /proc/loadavg and the procs_ lines of /proc/stat.
#pragma once

#include <cstdint>

namespace mikroscope::proc {

enum LoadColumn : std::uint32_t {
  kLoad1,
  kLoad5,
  kLoad15,
  kLoadRunning,
  kLoadThreads,
  kLoadProcsRunning,
  kLoadProcsBlocked,
};

}  // namespace mikroscope::proc
