// [user@]host[:port] as people write it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/host/result.h"

namespace mikroscope::cli {

struct RouterAddress {
  std::string user;        // empty: not said
  std::string host;        // IPv6 without brackets
  std::uint16_t port = 0;  // 0: not said
};

// 192.168.88.1, admin@router.lan, [fe80::1%eth0]:8729, fd00::1. The error says what is wrong (Exit::usage).
base::Result<RouterAddress> parse_router_address(std::string_view text);

}  // namespace mikroscope::cli
