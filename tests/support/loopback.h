// Sockets of the loopback for tests, on ports that the kernel picks.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace mikroscope::test {

struct Listener {
  int fd = -1;  // the caller closes it
  int port = 0;
};

inline Listener listen_on_loopback(int backlog = 64) {
  Listener out;
  out.fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  bind(out.fd, reinterpret_cast<sockaddr*>(&address), size);
  listen(out.fd, backlog);
  getsockname(out.fd, reinterpret_cast<sockaddr*>(&address), &size);
  out.port = ntohs(address.sin_port);
  return out;
}

// A port that was free a moment ago.
inline int free_port() {
  const Listener listener = listen_on_loopback(1);
  close(listener.fd);
  return listener.port;
}

}  // namespace mikroscope::test
