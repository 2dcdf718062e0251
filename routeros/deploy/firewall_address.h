// Addresses as firewall rules, routes and lists write them.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace mikroscope::routeros {

struct Ip {
  bool v6 = false;
  std::array<std::uint8_t, 16> bytes{};  // network order; IPv4 uses the first four

  auto operator<=>(const Ip&) const = default;
};

struct IpRange {
  Ip first;
  Ip last;  // of the same family

  bool contains(const Ip& ip) const;
  bool contains(const IpRange& other) const;
  bool overlaps(const IpRange& other) const;
  bool everything() const;  // 0.0.0.0/0 or ::/0
};

std::optional<Ip> parse_ip(std::string_view text);
std::string ip_text(const Ip& ip);
// "192.168.88.1", "192.168.88.0/24" (host bits are ignored), "10.0.0.5-10.0.0.9"; nothing for a DNS name.
std::optional<IpRange> parse_ip_range(std::string_view text);
// The length behind a '/', or that of a single address.
std::optional<int> prefix_length(std::string_view text);

}  // namespace mikroscope::routeros
