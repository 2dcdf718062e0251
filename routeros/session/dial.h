// Opens a TCP connection to a service of a router by its name or address.
#pragma once

#include <string>

#include "base/file.h"
#include "routeros/session/trouble.h"
#include "routeros/session/wait.h"

namespace mikroscope::routeros {

// Non-blocking. Every address that the name has is tried in its order, the time that is left divided among
// them. Keepalive is switched on, so that a router that is gone is noticed. `service` is RouterOS's name of
// it
// ("api-ssl", "api", "ssh"), for the error.
base::Result<base::Fd, LostConnection> dial(const std::string& host, int port, std::string_view service,
                                            const Wait& wait);

// This end's address, numeric and without the port; "" when it has none.
std::string local_address(int fd);

}  // namespace mikroscope::routeros
