// A TCP connection to a router, made within a deadline.
#pragma once

#include <cstdint>
#include <string>

#include "base/file.h"
#include "routeros/session/trouble.h"
#include "routeros/ssh/deadline.h"

namespace mikroscope::routeros {

struct TcpConnection {
  base::Fd fd;  // non-blocking
  std::string local_address;
};

// Tries the addresses of `host` in the order of the resolver. Looking a name up has the resolver's own time
// limits and cannot be interrupted.
base::Result<TcpConnection, LostConnection> connect_tcp(const std::string& host, std::uint16_t port,
                                                        const Deadline& deadline, int interrupt_fd);

}  // namespace mikroscope::routeros
