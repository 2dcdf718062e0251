#include "routeros/deploy/firewall_packet.h"

#include <algorithm>

#include "base/text.h"
#include "routeros/session/value.h"

namespace mikroscope::routeros {
namespace {

using Match = Truth (*)(std::string_view value, const PacketView& view);

// --- Interfaces

Truth interface_is(std::string_view value, const std::string& interface) {
  if (interface.empty()) return Truth::maybe;
  if (value == interface) return Truth::yes;
  return value.starts_with("all-") ? Truth::maybe : Truth::no;  // all-ethernet, all-ppp, …
}
Truth in_interface(std::string_view value, const PacketView& v) {
  return interface_is(value, v.packet.in_interface);
}
Truth out_interface(std::string_view value, const PacketView& v) {
  if (v.packet.to_router) return Truth::no;
  return interface_is(value, v.packet.out_interface);
}
Truth interface_in_list(std::string_view list, const std::string& interface, const InterfaceLists& lists) {
  if (!interface.empty()) return lists.has(list, interface);
  if (list == "all") return Truth::yes;
  return list == "none" || list.starts_with('*') ? Truth::no : Truth::maybe;
}
Truth in_interface_list(std::string_view value, const PacketView& v) {
  return interface_in_list(value, v.packet.in_interface, v.interfaces);
}
Truth out_interface_list(std::string_view value, const PacketView& v) {
  if (v.packet.to_router) return Truth::no;
  return interface_in_list(value, v.packet.out_interface, v.interfaces);
}

// --- Addresses

Truth address_in(std::string_view value, const std::optional<Ip>& address) {
  const std::optional<IpRange> range = parse_ip_range(value);
  if (!range) return Truth::maybe;
  if (!address) {
    if (range->everything()) return Truth::yes;
    // Packets between machines do not have the loopback's addresses.
    return !range->first.v6 && range->first.bytes[0] == 127 && range->last.bytes[0] == 127 ? Truth::no
                                                                                           : Truth::maybe;
  }
  return certain(range->contains(*address));
}
Truth src_address(std::string_view value, const PacketView& v) {
  return address_in(value, v.packet.src);
}
Truth dst_address(std::string_view value, const PacketView& v) {
  return address_in(value, v.packet.dst);
}
Truth src_address_list(std::string_view value, const PacketView& v) {
  return v.addresses.has(value, v.packet.src);
}
Truth dst_address_list(std::string_view value, const PacketView& v) {
  return v.addresses.has(value, v.packet.dst);
}
// A list of unicast, local, broadcast, multicast, …; an address of the router is both local and unicast.
Truth address_type(std::string_view value, bool local) {
  Truth out = Truth::no;
  for (const std::string_view type : split_list(value)) {
    if (type == "unicast") out = Truth::yes;
    if (type == "local") out = either(out, certain(local));
  }
  return out;
}
Truth src_address_type(std::string_view value, const PacketView&) {
  return address_type(value, false);
}
Truth dst_address_type(std::string_view value, const PacketView& v) {
  return address_type(value, v.packet.to_router);
}

// --- Protocol and ports

Truth protocol(std::string_view value, const PacketView& v) {
  struct Number {
    std::string_view name;
    std::string_view number;
  };
  constexpr Number kNumbers[] = {{"tcp", "6"}, {"udp", "17"}};
  if (value == v.packet.protocol) return Truth::yes;
  for (const Number& known : kNumbers) {
    if (known.name == v.packet.protocol && known.number == value) return Truth::yes;
  }
  return Truth::no;
}
constexpr std::uint64_t kFirstClientPort = 1024;
// "80", "80,443", "8000-9000,9123"
Truth port_in(std::string_view value, const std::optional<std::uint16_t>& port) {
  Truth unknown = Truth::no;
  for (const std::string_view item : split_list(value)) {
    const std::size_t dash = item.find('-');
    std::uint64_t low = 0;
    std::uint64_t high = 0;
    if (!base::parse_u64(item.substr(0, dash), low)) return Truth::maybe;
    high = low;
    if (dash != std::string_view::npos && !base::parse_u64(item.substr(dash + 1), high)) return Truth::maybe;
    if (port && *port >= low && *port <= high) return Truth::yes;
    if (!port && high >= kFirstClientPort) unknown = Truth::maybe;
  }
  return unknown;
}
Truth src_port(std::string_view value, const PacketView& v) {
  return port_in(value, v.packet.src_port);
}
Truth dst_port(std::string_view value, const PacketView& v) {
  return port_in(value, v.packet.dst_port);
}
Truth any_port(std::string_view value, const PacketView& v) {
  return either(src_port(value, v), dst_port(value, v));
}

// --- The connection

Truth connection_state(std::string_view value, const PacketView& v) {
  const std::vector<std::string_view> wanted = split_list(value);
  std::size_t matching = 0;
  for (const std::string& state : v.packet.states) {
    if (std::find(wanted.begin(), wanted.end(), state) != wanted.end()) ++matching;
  }
  if (matching == 0) return Truth::no;
  return matching == v.packet.states.size() ? Truth::yes : Truth::maybe;
}
Truth connection_nat_state(std::string_view value, const PacketView& v) {
  const std::vector<std::string_view> wanted = split_list(value);
  const bool dstnat = std::find(wanted.begin(), wanted.end(), "dstnat") != wanted.end();
  const bool srcnat = std::find(wanted.begin(), wanted.end(), "srcnat") != wanted.end();
  return either(dstnat ? v.packet.destination_nat : Truth::no, srcnat ? Truth::maybe : Truth::no);
}
// "in,none", "out,ipsec"
Truth ipsec_policy(std::string_view value, const PacketView& v) {
  if (value.ends_with("none")) return Truth::yes;
  return v.packet.plain && value.starts_with("in") ? Truth::no : Truth::maybe;
}

struct Matcher {
  std::string_view name;
  Match match;
};
constexpr Matcher kMatchers[] = {
    {"in-interface", in_interface},
    {"out-interface", out_interface},
    {"in-interface-list", in_interface_list},
    {"out-interface-list", out_interface_list},
    {"src-address", src_address},
    {"dst-address", dst_address},
    {"src-address-list", src_address_list},
    {"dst-address-list", dst_address_list},
    {"src-address-type", src_address_type},
    {"dst-address-type", dst_address_type},
    {"protocol", protocol},
    {"src-port", src_port},
    {"dst-port", dst_port},
    {"port", any_port},
    {"connection-state", connection_state},
    {"connection-nat-state", connection_nat_state},
    {"ipsec-policy", ipsec_policy},
};

// What a rule says beside what it matches.
constexpr std::string_view kNotMatchers[] = {
    ".id",          ".nextid",    ".about",      "about",       "action",       "chain",
    "comment",      "bytes",      "packets",     "dynamic",     "invalid",      "disabled",
    "log",          "log-prefix", "jump-target", "reject-with", "address-list", "address-list-timeout",
    "to-addresses", "to-ports",   "hw-offload"};

}  // namespace

Truth rule_matches(const Row& rule, const PacketView& view) {
  Truth all = Truth::yes;
  for (const Attribute& a : rule.attributes()) {
    if (std::find(std::begin(kNotMatchers), std::end(kNotMatchers), a.name) != std::end(kNotMatchers))
      continue;
    // Over SSH an unset property can come as an empty one.
    if (a.value.empty()) continue;
    const auto known = std::find_if(std::begin(kMatchers), std::end(kMatchers),
                                    [&a](const Matcher& m) { return m.name == a.name; });
    if (known == std::end(kMatchers)) {
      all = both(all, Truth::maybe);
      continue;
    }
    std::string_view value = a.value;
    const bool negated = value.starts_with('!');
    if (negated) value.remove_prefix(1);
    const Truth one = known->match(value, view);
    all = both(all, negated ? opposite(one) : one);
    if (all == Truth::no) break;
  }
  return all;
}

}  // namespace mikroscope::routeros
