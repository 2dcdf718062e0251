#include "sinks/net/line_socket.h"

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

LineSocket::~LineSocket() {
  close();
}

void LineSocket::close() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

base::Error LineSocket::failed(const char* doing, int error) {
  close();
  return base::Error{fmt::format("{} {}://{}:{}: {}", doing, kind_ == Kind::tcp ? "tcp" : "udp", host_, port_,
                                 std::strerror(error)),
                     "does the receiver listen there?", base::Exit::failed};
}

// The end of the stream, or an error. What a receiver says otherwise is read and of no interest.
bool LineSocket::gone() const {
  char bytes[256];
  for (;;) {
    const ssize_t got = recv(fd_, bytes, sizeof bytes, MSG_DONTWAIT);
    if (got > 0) continue;
    return got == 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
  }
}

bool LineSocket::wait(short events, std::int64_t deadline_ns) {
  for (;;) {
    const std::int64_t left_ms = (deadline_ns - base::monotonic_ns()) / 1'000'000;
    if (left_ms <= 0 || interrupted_.load()) {
      errno = left_ms <= 0 ? ETIMEDOUT : EINTR;
      return false;
    }
    pollfd poll_fd{fd_, events, 0};
    // Short, for interrupt().
    if (poll(&poll_fd, 1, static_cast<int>(std::min<std::int64_t>(left_ms, 100))) > 0) return true;
  }
}

base::Result<void> LineSocket::open(std::int64_t deadline_ns) {
  interrupted_.store(false);
  if (fd_ >= 0 && (kind_ == Kind::udp || !gone())) return {};
  close();
  addrinfo hints{};
  hints.ai_socktype = kind_ == Kind::tcp ? SOCK_STREAM : SOCK_DGRAM;
  addrinfo* found = nullptr;
  if (const int error = getaddrinfo(host_.c_str(), port_.c_str(), &hints, &found); error != 0)
    return base::Error{fmt::format("looking up {}:{}: {}", host_, port_, gai_strerror(error)),
                       "is the name spelled right?", base::Exit::failed};
  int why = ECONNREFUSED;
  for (const addrinfo* a = found; a != nullptr && fd_ < 0; a = a->ai_next) {
    fd_ = socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, a->ai_protocol);
    if (fd_ < 0) {
      why = errno;
      continue;
    }
    int error = connect(fd_, a->ai_addr, a->ai_addrlen) == 0 ? 0 : errno;
    if (error == EINPROGRESS) {
      socklen_t size = sizeof error;
      if (!wait(POLLOUT, deadline_ns) || getsockopt(fd_, SOL_SOCKET, SO_ERROR, &error, &size) != 0)
        error = errno;
    }
    if (error == 0) break;
    why = error;
    close();
  }
  freeaddrinfo(found);
  if (fd_ < 0) return failed("connecting to", why);
  return {};
}

base::Result<void> LineSocket::send_some(std::string_view& bytes, std::int64_t deadline_ns) {
  const ssize_t sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  if (sent >= 0) {
    bytes.remove_prefix(static_cast<std::size_t>(sent));
    return {};
  }
  if (errno == EINTR) return {};
  if ((errno == EAGAIN || errno == EWOULDBLOCK) && wait(POLLOUT, deadline_ns)) return {};
  return failed("sending to", errno);
}

base::Result<std::uint64_t> LineSocket::send_stream(std::string_view lines, std::int64_t deadline_ns) {
  while (!lines.empty()) {
    if (auto sent = send_some(lines, deadline_ns); !sent.ok()) return sent.error();
  }
  if (gone()) return failed("sending to", ECONNRESET);
  return std::uint64_t{0};
}

base::Result<std::uint64_t> LineSocket::send_datagrams(std::string_view lines, std::int64_t deadline_ns) {
  std::uint64_t oversize = 0;
  const auto send_one = [&](std::string_view datagram) -> base::Result<void> {
    while (!datagram.empty()) {
      if (auto sent = send_some(datagram, deadline_ns); !sent.ok()) return sent;
    }
    return {};
  };
  std::size_t size = 0;  // of the datagram at the beginning of `lines`
  const auto flush = [&]() -> base::Result<void> {
    auto sent = send_one(lines.substr(0, size));
    lines.remove_prefix(size);
    size = 0;
    return sent;
  };
  while (size < lines.size()) {
    const std::size_t newline = lines.find('\n', size);
    const std::size_t end = newline == std::string_view::npos ? lines.size() : newline + 1;
    const std::size_t line = end - size;
    if (size > 0 && size + line > kDatagram) {
      if (auto sent = flush(); !sent.ok()) return sent.error();
      continue;
    }
    if (line > kDatagram) {
      ++oversize;
      lines.remove_prefix(line);
      continue;
    }
    size += line;
  }
  if (auto sent = flush(); !sent.ok()) return sent.error();
  return oversize;
}

base::Result<std::uint64_t> LineSocket::send(std::string_view lines, std::int64_t deadline_ns) {
  return kind_ == Kind::tcp ? send_stream(lines, deadline_ns) : send_datagrams(lines, deadline_ns);
}

}  // namespace mikroscope::sinks
