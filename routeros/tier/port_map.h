// Which port of the router the kernel log means.
//
// A kernel calls ports eth0, eth1, …; RouterOS calls them ether1, sfp-sfpplus1, or as their owner renamed
// them, and says nowhere which is which. A container sees neither. What can be known:
//   name   the log uses a name that RouterOS uses too
//   mac    a driver's message tells the MAC address of the kernel's port, and the inventory whose that is
//   order  a kernel numbers its ports in the order of the addresses they were made with
// A message "received packet on eth3 with own address as source address (addr:…)" is no evidence: the address
// is that of any port of the bridge, not of eth3.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "routeros/tier/inventory.h"

namespace mikroscope::routeros {

struct PortLabel {
  std::string interface;     // what the router calls it now
  std::string default_name;  // "" for what is no port
  std::string label;         // its comment
  std::string role;          // its interface lists
  std::string from;          // name, mac or order
};

class PortMap {
 public:
  // Replaces what was known of the router; evidence of the log is kept.
  void inventory(const Inventory& inventory);
  // A record of the kernel log that names a port. Anything may be given; what is no evidence is passed over.
  void log_record(std::string_view kernel_port, std::string_view message);
  // Nothing where nothing is known. The order is not believed when the ports' addresses do not rise with
  // their factory names, when the log names more ports than there are, or when a MAC address contradicts it.
  std::optional<PortLabel> find(std::string_view kernel_port) const;
  // For people and for the field ports_from: "9 by order", "1 by mac, 8 by order, which addresses confirm",
  // "none: …".
  std::string ports_from() const;

 private:
  // The place of ethN among the ports; -1 when it has none by order.
  int place(std::string_view kernel_port) const;
  const InterfaceInfo* by_mac(std::string_view kernel_port) const;
  void judge();

  Inventory inventory_;
  std::vector<std::size_t> order_;                        // indexes of ports, by ascending address
  std::string doubt_ = "the router names no ports";       // why the order is not believed; "" when it is
  int highest_ = -1;                                      // of the ethN that the log has named
  std::map<std::string, std::string, std::less<>> macs_;  // kernel's name to address
};

// The MAC address that `message` says `port` itself has, upper case; "" when it says none.
std::string own_mac(std::string_view port, std::string_view message);

}  // namespace mikroscope::routeros
