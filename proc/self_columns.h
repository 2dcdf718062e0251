// Column numbers of the table self. The source "self" fills what the kernel tells about this process, the
// source "kmsg" kmsg_dropped, and the agent's sampler the rest: wake_ns, read_ns, missed, rows_refused and
// read_errors.
#pragma once

#include <cstdint>

namespace mikroscope::proc {

enum SelfColumn : std::uint32_t {
  kSelfCpuUs,
  kSelfRss,
  kSelfCgroupMem,
  kSelfCgroupMemMax,
  kSelfThrottled,
  kSelfThrottledUs,
  kSelfOomKill,
  kSelfWakeNs,
  kSelfReadNs,
  kSelfMissed,
  kSelfKmsgDropped,
  kSelfRowsRefused,
  kSelfReadErrors,
};

}  // namespace mikroscope::proc
