#include "routeros/session/wait.h"

#include <poll.h>

#include <algorithm>
#include <cerrno>

#include "base/clock.h"

namespace mikroscope::routeros {
namespace {

constexpr std::int64_t kNsPerMs = 1'000'000;
constexpr std::int64_t kLongestMs = 3'600'000;

// The time that is left in milliseconds, rounded up: no busy loop at the end.
int poll_timeout(std::int64_t deadline_ns) {
  if (deadline_ns == INT64_MAX) return -1;
  const std::int64_t left = deadline_ns - base::monotonic_ns();
  return left <= 0 ? 0 : static_cast<int>(std::min((left + kNsPerMs - 1) / kNsPerMs, kLongestMs));
}

}  // namespace

Wait within(std::int64_t ms, int interrupt_fd) {
  return {base::monotonic_ns() + ms * kNsPerMs, interrupt_fd};
}

Net wait_for(int fd, short events, const Wait& wait) {
  for (;;) {
    const int timeout_ms = poll_timeout(wait.deadline_ns);
    // A negative descriptor is passed over by poll().
    pollfd fds[] = {{fd, events, 0}, {wait.interrupt_fd, POLLIN, 0}};
    const int ready = ::poll(fds, 2, timeout_ms);
    if (ready < 0 && errno != EINTR) return Net::failed;
    if (ready > 0 && fds[1].revents != 0) return Net::interrupted;
    if (timeout_ms == 0) return Net::timeout;
    if (ready > 0 && fds[0].revents != 0) return Net::ok;
  }
}

}  // namespace mikroscope::routeros
