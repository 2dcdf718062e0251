#include "routeros/ssh/tcp.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <memory>

namespace mikroscope::routeros {
namespace {

std::string address_text(const sockaddr* address, socklen_t size) {
  char text[NI_MAXHOST];
  return ::getnameinfo(address, size, text, sizeof text, nullptr, 0, NI_NUMERICHOST) == 0 ? text : "";
}

// 0, or the errno of the failure; ETIMEDOUT at the deadline, EINTR when interrupted.
int try_address(const addrinfo& address, const Deadline& deadline, int interrupt_fd, base::Fd& out) {
  base::Fd fd(::socket(address.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd) return errno;
  const int on = 1;
  ::setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  ::setsockopt(fd.get(), SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  if (::connect(fd.get(), address.ai_addr, address.ai_addrlen) != 0) {
    if (errno != EINPROGRESS) return errno;
    switch (wait_for(fd.get(), POLLOUT, deadline, interrupt_fd)) {
      case Waited::late:
        return ETIMEDOUT;
      case Waited::interrupted:
        return EINTR;
      case Waited::ready:
        break;
    }
    int error = 0;
    socklen_t size = sizeof error;
    if (::getsockopt(fd.get(), SOL_SOCKET, SO_ERROR, &error, &size) != 0) return errno;
    if (error != 0) return error;
  }
  out = std::move(fd);
  return 0;
}

std::string fix_of(int error, std::uint16_t port) {
  switch (error) {
    case ECONNREFUSED:
      return fmt::format(
          "on the router, `/ip/service/print` shows whether ssh is enabled and on which port; give another "
          "than {} with --ssh-port",
          port);
    case ETIMEDOUT:
    case EHOSTUNREACH:
    case ENETUNREACH:
      return "check the address and that the router's input firewall lets this machine reach its ssh service";
    default:
      return "check the address";
  }
}

}  // namespace

base::Result<TcpConnection, LostConnection> connect_tcp(const std::string& host, std::uint16_t port,
                                                        const Deadline& deadline, int interrupt_fd) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int resolved = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(found, &::freeaddrinfo);
  if (resolved != 0)
    return LostConnection{fmt::format("cannot find the address of {}: {}", host, ::gai_strerror(resolved)),
                          "check the name, or give the router's address", base::Exit::failed};
  int error = EADDRNOTAVAIL;
  std::string tried;
  for (const addrinfo* address = found; address != nullptr; address = address->ai_next) {
    TcpConnection connection;
    error = try_address(*address, deadline, interrupt_fd, connection.fd);
    if (error == EINTR) return LostConnection{"interrupted while connecting", "", base::Exit::interrupted};
    if (error == 0) {
      sockaddr_storage local{};
      socklen_t size = sizeof local;
      if (::getsockname(connection.fd.get(), reinterpret_cast<sockaddr*>(&local), &size) == 0)
        connection.local_address = address_text(reinterpret_cast<const sockaddr*>(&local), size);
      return connection;
    }
    tried = address_text(address->ai_addr, address->ai_addrlen);
  }
  return LostConnection{fmt::format("cannot connect to {} port {}: {}", tried.empty() ? host : tried, port,
                                    std::strerror(error)),
                        fix_of(error, port), base::Exit::failed};
}

}  // namespace mikroscope::routeros
