#include "routeros/deploy/token.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <algorithm>
#include <cerrno>

#include "base/host/files.h"
#include "base/text.h"

namespace mikroscope::routeros {

base::Result<std::string> make_token() {
  unsigned char octets[32];
  if (::getrandom(octets, sizeof octets, 0) != static_cast<ssize_t>(sizeof octets))
    return base::file_error("read random octets of", "the kernel", errno);
  std::string out;
  for (const unsigned char octet : octets) out += fmt::format("{:02x}", octet);
  return out;
}

bool good_token(std::string_view token) {
  return token.size() >= 16 && token.size() <= 128 && std::all_of(token.begin(), token.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || base::is_digit(c) || c == '.' ||
                  c == '_' || c == '-';
         });
}

}  // namespace mikroscope::routeros
