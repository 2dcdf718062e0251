#include "cli/router_address.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace mikroscope::cli {
namespace {

base::Error no_address(std::string_view text, std::string_view why) {
  return {fmt::format("\"{}\" is no router: {}", text, why),
          "a profile's name, 192.168.88.1, admin@router.lan, [fd00::1]:8729", base::Exit::usage};
}

}  // namespace

base::Result<RouterAddress> parse_router_address(std::string_view text) {
  RouterAddress out;
  std::string_view rest = text;
  if (rest.find("://") != std::string_view::npos) return no_address(text, "it is an address, not a URL");
  // RouterOS allows '@' in names of users.
  const std::size_t at = rest.rfind('@');
  if (at != std::string_view::npos) {
    out.user = rest.substr(0, at);
    rest.remove_prefix(at + 1);
    if (out.user.empty()) return no_address(text, "nothing stands before the @");
    if (out.user.find(':') != std::string::npos)
      return no_address(fmt::format("…@{}", rest), "a password is never part of it (MIKROSCOPE_PASSWORD)");
  }
  std::string_view port;
  if (!rest.empty() && rest.front() == '[') {
    const std::size_t end = rest.find(']');
    if (end == std::string_view::npos) return no_address(text, "the closing ] is missing");
    out.host = rest.substr(1, end - 1);
    rest.remove_prefix(end + 1);
    if (!rest.empty() && rest.front() != ':') return no_address(text, "only :port may follow ]");
    if (!rest.empty()) port = rest.substr(1);
    if (!rest.empty() && port.empty()) return no_address(text, "the port is missing");
  } else if (std::count(rest.begin(), rest.end(), ':') == 1) {
    const std::size_t colon = rest.find(':');
    out.host = rest.substr(0, colon);
    port = rest.substr(colon + 1);
    if (port.empty()) return no_address(text, "the port is missing");
  } else {
    out.host = rest;
  }
  if (out.host.empty()) return no_address(text, "the host is missing");
  if (out.host.find_first_of(" \t/?#,\"'") != std::string::npos || out.host.front() == '-')
    return no_address(text, "that cannot be a host");
  std::uint64_t number = 0;
  if (!port.empty() && (port.find_first_not_of("0123456789") != std::string_view::npos ||
                        !base::parse_u64(port, number) || number == 0 || number > 65535)) {
    return no_address(text, fmt::format("{} is no port", port));
  }
  out.port = static_cast<std::uint16_t>(number);
  return out;
}

}  // namespace mikroscope::cli
