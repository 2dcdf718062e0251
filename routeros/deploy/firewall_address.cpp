#include "routeros/deploy/firewall_address.h"

#include <arpa/inet.h>

#include <cstring>

#include "base/text.h"

namespace mikroscope::routeros {
namespace {

int width(const Ip& ip) {
  return ip.v6 ? 128 : 32;
}

// The bits behind the first `length` all zero or all one.
Ip fill(Ip ip, int length, bool ones) {
  for (int bit = length; bit < width(ip); ++bit) {
    const auto mask = static_cast<std::uint8_t>(0x80 >> (bit % 8));
    std::uint8_t& byte = ip.bytes[static_cast<std::size_t>(bit / 8)];
    byte = static_cast<std::uint8_t>(ones ? byte | mask : byte & ~mask);
  }
  return ip;
}

}  // namespace

bool IpRange::contains(const Ip& ip) const {
  return ip.v6 == first.v6 && first <= ip && ip <= last;
}
bool IpRange::contains(const IpRange& other) const {
  return contains(other.first) && contains(other.last);
}
bool IpRange::overlaps(const IpRange& other) const {
  return first.v6 == other.first.v6 && first <= other.last && other.first <= last;
}
bool IpRange::everything() const {
  return first == fill(first, 0, false) && last == fill(last, 0, true);
}

std::optional<Ip> parse_ip(std::string_view text) {
  // A zone such as %ether1 says where a link-local address is; it is no part of it.
  const std::string copy(text.substr(0, text.find('%')));
  Ip ip;
  if (inet_pton(AF_INET, copy.c_str(), ip.bytes.data()) == 1) return ip;
  ip.v6 = true;
  if (inet_pton(AF_INET6, copy.c_str(), ip.bytes.data()) == 1) return ip;
  return std::nullopt;
}

std::string ip_text(const Ip& ip) {
  char text[INET6_ADDRSTRLEN] = {};
  inet_ntop(ip.v6 ? AF_INET6 : AF_INET, ip.bytes.data(), text, sizeof text);
  return text;
}

std::optional<int> prefix_length(std::string_view text) {
  const std::size_t slash = text.find('/');
  const std::optional<Ip> ip = parse_ip(text.substr(0, slash));
  if (!ip) return std::nullopt;
  if (slash == std::string_view::npos) return width(*ip);
  std::uint64_t length = 0;
  const std::string_view digits = text.substr(slash + 1);
  if (digits.empty() || !base::is_digit(digits.back()) || !base::parse_u64(digits, length) ||
      length > static_cast<unsigned>(width(*ip)))
    return std::nullopt;
  return static_cast<int>(length);
}

std::optional<IpRange> parse_ip_range(std::string_view text) {
  if (const std::size_t dash = text.find('-'); dash != std::string_view::npos) {
    const std::optional<Ip> first = parse_ip(text.substr(0, dash));
    const std::optional<Ip> last = parse_ip(text.substr(dash + 1));
    if (!first || !last || first->v6 != last->v6 || *last < *first) return std::nullopt;
    return IpRange{*first, *last};
  }
  const std::optional<int> length = prefix_length(text);
  if (!length) return std::nullopt;
  const std::optional<Ip> ip = parse_ip(text.substr(0, text.find('/')));
  return IpRange{fill(*ip, *length, false), fill(*ip, *length, true)};
}

}  // namespace mikroscope::routeros
