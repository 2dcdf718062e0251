// IPv4 and IPv6 literals. Not inet_pton(): the C library's takes three times the code.
#pragma once

#include <cstdint>
#include <string_view>

namespace mikroscope::agent {

struct Address {
  bool v6 = false;
  std::uint8_t bytes[16] = {};  // in network order; of an IPv4 address the first four
};

// 192.0.2.1, or an IPv6 address in any form of RFC 4291 without a scope: 2001:db8::1, ::ffff:192.0.2.1.
bool parse_address(std::string_view text, Address& out);

}  // namespace mikroscope::agent
