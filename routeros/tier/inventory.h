// The interfaces of a router, and what people have called them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "routeros/session/row.h"

namespace mikroscope::routeros {

struct InterfaceInfo {
  std::string raw_name;      // as the router spells it: for requests
  std::string name;          // UTF-8, as everything below
  std::string default_name;  // of a port: what it was called when it left the factory
  std::string type;          // ether, bridge, vlan, …
  std::string label;         // its comment, at most kMaxLabel octets
  std::string role;          // the interface lists it is in, sorted, with commas between
  std::string bridge;
  std::string mac;       // upper case; of ports only
  std::string orig_mac;  // what the port was made with
  std::optional<std::int64_t> mtu;
  std::optional<bool> running;
  std::optional<bool> disabled;

  // interface, label, type, role, bridge: the keys of every measurement of interfaces.
  std::vector<std::string> keys() const { return {name, label, type, role, bridge}; }
};

// Tags and index entries of stores have narrow bounds, comments have none.
inline constexpr std::size_t kMaxLabel = 256;
// UTF-8 of what a router sent, cut at a character to kMaxLabel octets.
std::string label_text(std::string_view octets);

struct Inventory {
  std::vector<InterfaceInfo> interfaces;  // in the router's order

  bool empty() const { return interfaces.empty(); }
  const InterfaceInfo* find(std::string_view raw_name) const;
  // The row's keys; of an interface that is not here its name alone.
  std::vector<std::string> keys(std::string_view raw_name) const;
};

// Out of the answers of /interface/print, /interface/list/member/print, /interface/bridge/port/print and
// /interface/ethernet/print. All but the first may be empty. A member of a bridge that is in no list of its
// own takes the bridge's. Disabled members and ports do not count; a port that names a list labels nobody.
Inventory make_inventory(const std::vector<Row>& interfaces, const std::vector<Row>& members,
                         const std::vector<Row>& bridge_ports, const std::vector<Row>& ethernets);

}  // namespace mikroscope::routeros
