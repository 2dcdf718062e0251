// Waiting on a descriptor with an end: a point in time, and a descriptor by which the user ends it.
#pragma once

#include <cstdint>

namespace mikroscope::routeros {

struct Wait {
  std::int64_t deadline_ns = INT64_MAX;  // CLOCK_MONOTONIC
  int interrupt_fd = -1;                 // readable: give up
};
Wait within(std::int64_t ms, int interrupt_fd);

enum class Net : std::uint8_t {
  ok,
  closed,       // by the other side, orderly or not
  timeout,      // the deadline passed
  interrupted,  // by the user
  failed,       // errno, or a why() beside it, says more
};

// Until poll()'s `events` or an error are there on `fd`: ok, timeout, interrupted or failed. An interruption
// goes before the rest, and so does a deadline that has passed before the call: who never stops sending does
// not keep us. What came while the process was stopped is still taken.
Net wait_for(int fd, short events, const Wait& wait);

}  // namespace mikroscope::routeros
