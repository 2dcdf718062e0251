#include "routeros/session/dial.h"

#include <fmt/format.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#include "base/clock.h"

namespace mikroscope::routeros {
namespace {

struct DialError {
  Net net = Net::failed;
  int error_number = 0;  // of connect(); 0 when it did not come to that
  std::string why;
};

struct Address {
  sockaddr_storage storage{};
  socklen_t size = 0;
};

// What the resolver's thread and its caller share; whoever is last frees it.
struct Lookup {
  std::string host;
  std::string service;
  int flags = 0;
  int code = 0;
  std::vector<Address> addresses;
  base::Fd done{::eventfd(0, EFD_CLOEXEC)};

  void run() {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = flags;
    addrinfo* list = nullptr;
    code = ::getaddrinfo(host.c_str(), service.c_str(), &hints, &list);
    for (const addrinfo* at = code == 0 ? list : nullptr; at != nullptr; at = at->ai_next) {
      Address address;
      address.size = std::min<socklen_t>(at->ai_addrlen, sizeof address.storage);
      std::memcpy(&address.storage, at->ai_addr, address.size);
      addresses.push_back(address);
    }
    if (code == 0) ::freeaddrinfo(list);
  }
};

base::Result<std::vector<Address>, DialError> resolve(const std::string& host, int port, const Wait& wait) {
  const auto lookup = std::make_shared<Lookup>();
  lookup->host = host;
  lookup->service = std::to_string(port);
  // An address needs nobody's answer.
  lookup->flags = AI_NUMERICHOST | AI_NUMERICSERV;
  lookup->run();
  if (lookup->code == 0) return std::move(lookup->addresses);
  // getaddrinfo() has no deadline: a thread of its own waits as long as it likes.
  lookup->flags = AI_NUMERICSERV;
  std::thread([lookup] {
    lookup->run();
    const std::uint64_t one = 1;
    (void)!::write(lookup->done.get(), &one, sizeof one);
  }).detach();
  const Net net = wait_for(lookup->done.get(), POLLIN, wait);
  std::uint64_t finished = 0;
  if (net == Net::timeout) return DialError{net, 0, "the name was not resolved in time"};
  if (net != Net::ok || ::read(lookup->done.get(), &finished, sizeof finished) < 0)
    return DialError{net, 0, std::strerror(errno)};
  if (lookup->code != 0) return DialError{Net::failed, 0, ::gai_strerror(lookup->code)};
  return std::move(lookup->addresses);
}

void set_option(int fd, int level, int option, int value) {
  ::setsockopt(fd, level, option, &value, sizeof value);
}

void tune(int fd) {
  set_option(fd, IPPROTO_TCP, TCP_NODELAY, 1);
  set_option(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
  set_option(fd, IPPROTO_TCP, TCP_KEEPIDLE, 60);
  set_option(fd, IPPROTO_TCP, TCP_KEEPINTVL, 15);
  set_option(fd, IPPROTO_TCP, TCP_KEEPCNT, 4);
}

base::Result<base::Fd, DialError> connect_to(const Address& address, const Wait& wait) {
  const auto failure = [](int number) { return DialError{Net::failed, number, std::strerror(number)}; };
  base::Fd fd(::socket(address.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd) return failure(errno);
  tune(fd.get());
  if (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address.storage), address.size) == 0) return fd;
  if (errno != EINPROGRESS) return failure(errno);
  const Net net = wait_for(fd.get(), POLLOUT, wait);
  if (net == Net::timeout) return DialError{net, 0, "no answer"};
  if (net != Net::ok) return DialError{net, 0, std::strerror(errno)};
  int error = 0;
  socklen_t size = sizeof error;
  ::getsockopt(fd.get(), SOL_SOCKET, SO_ERROR, &error, &size);
  if (error != 0) return failure(error);
  return fd;
}

base::Result<base::Fd, DialError> connect_to_any(const std::vector<Address>& addresses, const Wait& wait) {
  DialError last{Net::failed, 0, "the name has no address"};
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    const std::int64_t now = base::monotonic_ns();
    const auto left = static_cast<std::int64_t>(addresses.size() - i);
    Wait share = wait;
    if (wait.deadline_ns != INT64_MAX) share.deadline_ns = now + (wait.deadline_ns - now) / left;
    base::Result<base::Fd, DialError> connected = connect_to(addresses[i], share);
    if (connected.ok() || connected.error().net == Net::interrupted) return connected;
    last = std::move(connected).error();
  }
  return last;
}

LostConnection not_connected(const DialError& error, const std::string& host, int port,
                             std::string_view service) {
  if (error.net == Net::interrupted) return {"interrupted", "", base::Exit::interrupted};
  std::string fix = fmt::format(
      "check the address, and that the router's firewall lets this machine reach its {} service", service);
  if (error.error_number == ECONNREFUSED) {
    fix = fmt::format(
        "nothing listens there: is the {} service enabled, and is this its port? See `/ip/service/print` on "
        "the "
        "router",
        service);
  }
  return {fmt::format("no connection to {} port {}: {}", host, port, error.why), std::move(fix),
          base::Exit::failed};
}

}  // namespace

base::Result<base::Fd, LostConnection> dial(const std::string& host, int port, std::string_view service,
                                            const Wait& wait) {
  const base::Result<std::vector<Address>, DialError> addresses = resolve(host, port, wait);
  if (!addresses.ok()) return not_connected(addresses.error(), host, port, service);
  base::Result<base::Fd, DialError> connected = connect_to_any(*addresses, wait);
  if (!connected.ok()) return not_connected(connected.error(), host, port, service);
  return std::move(connected).value();
}

std::string local_address(int fd) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  char text[NI_MAXHOST];
  const auto* const any = reinterpret_cast<const sockaddr*>(&address);
  if (::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0 ||
      (any->sa_family != AF_INET && any->sa_family != AF_INET6) ||
      ::getnameinfo(any, size, text, sizeof text, nullptr, 0, NI_NUMERICHOST) != 0)
    return "";
  return text;
}

}  // namespace mikroscope::routeros
