#include "routeros/api/socket.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

namespace mikroscope::routeros {

Socket::Socket(base::Fd fd) : fd_(std::move(fd)) {
  ::fcntl(fd_.get(), F_SETFL, ::fcntl(fd_.get(), F_GETFL) | O_NONBLOCK);
}

Net Socket::from_errno() {
  why_ = std::strerror(errno);
  return errno == ECONNRESET || errno == EPIPE ? Net::closed : Net::failed;
}

Net Socket::receive(std::string& out, const Wait& wait) {
  char buffer[65536];
  for (;;) {
    if (const Net net = wait_for(fd_.get(), POLLIN, wait); net != Net::ok)
      return net == Net::failed ? from_errno() : net;
    const ssize_t n = ::recv(fd_.get(), buffer, sizeof buffer, 0);
    if (n > 0) {
      out.append(buffer, static_cast<std::size_t>(n));
      return Net::ok;
    }
    if (n == 0) return Net::closed;
    if (errno != EINTR && errno != EAGAIN) return from_errno();
  }
}

Net Socket::send(std::string_view octets, const Wait& wait) {
  while (!octets.empty()) {
    if (const Net net = wait_for(fd_.get(), POLLOUT, wait); net != Net::ok)
      return net == Net::failed ? from_errno() : net;
    const ssize_t n = ::send(fd_.get(), octets.data(), octets.size(), MSG_NOSIGNAL);
    if (n >= 0) {
      octets.remove_prefix(static_cast<std::size_t>(n));
    } else if (errno != EINTR && errno != EAGAIN) {
      return from_errno();
    }
  }
  return Net::ok;
}

}  // namespace mikroscope::routeros
