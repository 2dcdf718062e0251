#include "routeros/ssh/deadline.h"

#include <poll.h>

#include <algorithm>
#include <cerrno>

namespace mikroscope::routeros {

int Deadline::left_ms() const {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(at_ - std::chrono::steady_clock::now());
  return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 3'600'000));
}

Waited wait_for(int fd, short events, const Deadline& deadline, int interrupt_fd) {
  pollfd polled[2] = {{fd, events, 0}, {interrupt_fd, POLLIN, 0}};
  while (true) {
    const int found = ::poll(polled, 2, deadline.left_ms());
    if (found < 0 && errno == EINTR) continue;
    if (polled[1].revents != 0) return Waited::interrupted;
    if (polled[0].revents != 0) return Waited::ready;
    if (deadline.left_ms() == 0) return Waited::late;
  }
}

}  // namespace mikroscope::routeros
