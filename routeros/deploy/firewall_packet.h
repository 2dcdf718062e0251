// A packet as far as it is known, and whether a firewall rule matches it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "routeros/deploy/firewall_address.h"
#include "routeros/deploy/firewall_sets.h"
#include "routeros/deploy/firewall_truth.h"
#include "routeros/session/row.h"

namespace mikroscope::routeros {

struct Packet {
  std::string in_interface;   // ""; unknown
  std::string out_interface;  // "": unknown, or for the router itself
  std::optional<Ip> src;      // nothing: unknown
  std::optional<Ip> dst;
  bool to_router = false;                 // dst is an address of the router
  std::string protocol;                   // "tcp", "udp"
  bool plain = false;                     // it certainly did not come through IPsec
  std::optional<std::uint16_t> src_port;  // nothing: one that a client chose, from 1024 on
  std::optional<std::uint16_t> dst_port;
  std::vector<std::string> states;    // what its connection may be: "new", "established", "untracked"
  Truth destination_nat = Truth::no;  // its connection came through a dst-nat rule
};

struct PacketView {
  const Packet& packet;
  const InterfaceLists& interfaces;
  const AddressLists& addresses;
};

// Over all matchers of a rule of /ip/firewall or /ipv6/firewall. One that this does not know makes it maybe.
Truth rule_matches(const Row& rule, const PacketView& view);

}  // namespace mikroscope::routeros
