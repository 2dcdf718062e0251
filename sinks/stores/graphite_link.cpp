#include "sinks/stores/graphite_link.h"

#include <fmt/format.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/clock.h"

namespace mikroscope::sinks {

GraphiteLink::~GraphiteLink() {
  close();
}

void GraphiteLink::close() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

// Carbon says nothing, so anything to read is the end.
bool GraphiteLink::gone() const {
  char byte = 0;
  const ssize_t got = recv(fd_, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return got == 0 || (got < 0 && errno != EAGAIN && errno != EWOULDBLOCK);
}

bool GraphiteLink::wait(short events, std::int64_t deadline_ns) {
  for (;;) {
    const std::int64_t left_ms = (deadline_ns - base::monotonic_ns()) / 1'000'000;
    if (left_ms <= 0) {
      errno = ETIMEDOUT;
      return false;
    }
    if (interrupted_.exchange(false)) {
      errno = EINTR;
      return false;
    }
    pollfd poll_fd{fd_, events, 0};
    // Short, for interrupt().
    if (poll(&poll_fd, 1, static_cast<int>(std::min<std::int64_t>(left_ms, 100))) > 0) return true;
  }
}

base::Result<bool> GraphiteLink::open(std::int64_t deadline_ns) {
  if (fd_ >= 0 && !gone()) return false;
  close();
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const auto failed = [&](const char* why) {
    close();
    return base::Error{fmt::format("connecting to {}:{}: {}", host_, port_, why),
                       "is carbon there, and is this its plaintext port (mostly 2003)?"};
  };
  if (const int error = getaddrinfo(host_.c_str(), port_.c_str(), &hints, &found); error != 0)
    return failed(gai_strerror(error));
  int why = 0;
  for (const addrinfo* a = found; a != nullptr; a = a->ai_next) {
    fd_ = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd_ < 0) {
      why = errno;
      continue;
    }
    int error = connect(fd_, a->ai_addr, a->ai_addrlen) == 0 ? 0 : errno;
    if (error == EINPROGRESS) {
      socklen_t size = sizeof error;
      if (!wait(POLLOUT, deadline_ns))
        error = errno;
      else if (getsockopt(fd_, SOL_SOCKET, SO_ERROR, &error, &size) != 0)
        error = errno;
    }
    if (error == 0) break;
    why = error;
    close();
  }
  freeaddrinfo(found);
  if (fd_ < 0) return failed(std::strerror(why));
  return true;
}

base::Result<void> GraphiteLink::send(std::string_view text, std::int64_t deadline_ns) {
  while (!text.empty()) {
    const ssize_t sent = ::send(fd_, text.data(), text.size(), MSG_NOSIGNAL);
    if (sent > 0) {
      text.remove_prefix(static_cast<std::size_t>(sent));
      continue;
    }
    if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK) && wait(POLLOUT, deadline_ns)) continue;
    const int why = errno;
    close();
    return base::Error{fmt::format("writing to {}:{}: {}", host_, port_, std::strerror(why)), ""};
  }
  return {};
}

}  // namespace mikroscope::sinks
