#include "routeros/tier/port_map.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace mikroscope::routeros {
namespace {

struct Port {
  std::string name;
  std::string default_name;
  std::string orig_mac;
  std::string mac;
};

Inventory router(const std::vector<Port>& ports) {
  std::vector<Row> interfaces;
  std::vector<Row> ethernets;
  for (const Port& port : ports) {
    interfaces.push_back(Row(Attributes{{"name", port.name},
                                        {"default-name", port.default_name},
                                        {"type", "ether"},
                                        {"comment", "to " + port.name}}));
    ethernets.push_back(Row(Attributes{{"name", port.name},
                                       {"mac-address", port.mac.empty() ? port.orig_mac : port.mac},
                                       {"orig-mac-address", port.orig_mac}}));
  }
  interfaces.push_back(Row(Attributes{{"name", "bridge"}, {"type", "bridge"}}));
  return make_inventory(interfaces, {Row(Attributes{{"list", "LAN"}, {"interface", "nas"}})}, {}, ethernets);
}

// The SFP port was made last, as on an RB5009; the router lists it first.
Inventory three_ports() {
  return router({{"sfp-sfpplus1", "sfp-sfpplus1", "02:00:5E:00:00:03", ""},
                 {"ether1", "ether1", "02:00:5E:00:00:01", ""},
                 {"nas", "ether2", "02:00:5E:00:00:02", "02:00:5E:00:00:77"}});
}

std::string found(const PortMap& map, std::string_view kernel_port) {
  const auto label = map.find(kernel_port);
  return label ? fmt::format("{} {} {} {}", label->interface, label->default_name, label->role, label->from)
               : "-";
}

TEST(PortMap, KnowsNothingBeforeAnInventory) {
  PortMap map;
  EXPECT_EQ(found(map, "eth0"), "-");
  EXPECT_EQ(map.ports_from(), "none: the router names no ports");
}

TEST(PortMap, TheOrderOfAddressesSaysWhichIsWhichAndSaysSo) {
  PortMap map;
  map.inventory(three_ports());
  EXPECT_EQ(found(map, "eth0"), "ether1 ether1  order");
  EXPECT_EQ(found(map, "eth1"), "nas ether2 LAN order");
  EXPECT_EQ(map.find("eth1")->label, "to nas");
  EXPECT_EQ(found(map, "eth2"), "sfp-sfpplus1 sfp-sfpplus1  order");
  EXPECT_EQ(found(map, "eth3"), "-");
  EXPECT_EQ(found(map, "switch0"), "-");
  EXPECT_EQ(found(map, "eth"), "-");
  EXPECT_EQ(found(map, "eth1x"), "-");
  EXPECT_EQ(map.ports_from(), "3 by order");
}

TEST(PortMap, NamesThatRouterOsUsesTooMeanThemselves) {
  PortMap map;
  map.inventory(three_ports());
  EXPECT_EQ(found(map, "ether2"), "nas ether2 LAN name");
  EXPECT_EQ(found(map, "bridge"), "bridge   name");
}

TEST(PortMap, ADriversOwnAddressProves) {
  PortMap map;
  map.inventory(three_ports());
  map.log_record("eth1", "mvpp2 f2000000.ethernet eth1: Using device tree mac address 02:00:5e:00:00:02");
  EXPECT_EQ(found(map, "eth1"), "nas ether2 LAN mac");
  EXPECT_EQ(found(map, "eth0"), "ether1 ether1  order");
  EXPECT_EQ(map.ports_from(), "1 by mac, 2 by order, which addresses confirm");
}

TEST(PortMap, AnAddressThatContradictsTheOrderEndsIt) {
  PortMap map;
  map.log_record("eth0", "e1000 0000:00:03.0 eth0: (PCI:33MHz:32-bit) 02:00:5e:00:00:03");
  map.inventory(three_ports());
  EXPECT_EQ(found(map, "eth0"), "sfp-sfpplus1 sfp-sfpplus1  mac");
  EXPECT_EQ(found(map, "eth1"), "-");
  EXPECT_EQ(map.ports_from(), "1 by mac, no others: by its MAC address eth0 is sfp-sfpplus1 and not ether1");
}

TEST(PortMap, MorePortsInTheKernelThanInTheInventoryEndTheOrder) {
  PortMap map;
  map.inventory(three_ports());
  map.log_record("eth3", "br0: port 4(eth3) entered forwarding state");
  EXPECT_EQ(found(map, "eth0"), "-");
  EXPECT_EQ(map.ports_from(), "none: the kernel log names eth3, and there are 3 ports");
}

TEST(PortMap, AddressesOutOfOrderAreNotBelieved) {
  PortMap map;
  map.inventory(
      router({{"ether1", "ether1", "02:00:5E:00:00:09", ""}, {"ether2", "ether2", "02:00:5E:00:00:02", ""}}));
  EXPECT_EQ(found(map, "eth0"), "-");
  EXPECT_EQ(map.ports_from(), "none: the ports' MAC addresses do not rise with their names");
  map.inventory(
      router({{"ether1", "ether1", "02:00:5E:00:00:02", ""}, {"ether2", "ether2", "02:00:5E:00:00:02", ""}}));
  EXPECT_EQ(found(map, "eth0"), "-");
  map.inventory(router({{"ether1", "ether1", "", ""}}));
  EXPECT_EQ(map.ports_from(), "none: a port's original MAC address is unknown or not its own");
}

TEST(PortMap, ALoopsAddressIsNoEvidence) {
  PortMap map;
  map.inventory(three_ports());
  // The frame came from another port of the bridge, sfp-sfpplus1: eth1 has not its address.
  map.log_record("eth1",
                 "br0: received packet on eth1 with own address as source address (addr:02:00:5e:00:00:03, "
                 "vlan:0)");
  EXPECT_EQ(found(map, "eth1"), "nas ether2 LAN order");
  EXPECT_EQ(map.ports_from(), "3 by order");
}

TEST(PortMap, OwnAddressesInMessages) {
  struct Said {
    const char* port;
    const char* message;
    const char* mac;
  };
  for (const Said& said : {
           Said{"eth0", "eth0: MAC address 02:00:5e:00:00:01", "02:00:5E:00:00:01"},
           Said{"eth0", "eth0: 02:00:5e:00:00:01 and 02:00:5e:00:00:02", ""},
           Said{"eth0", "eth10: MAC address 02:00:5e:00:00:01", ""},
           Said{"eth0", "xeth0: MAC address 02:00:5e:00:00:01", ""},
           Said{"eth0", "eth0: link up 1000", ""},
           Said{"eth0", "eth0: 02:00:5e:00:00:01:02", ""},
           Said{"eth0", "eth0: neighbour 02:00:5e:00:00:01 lost", ""},
           Said{"eth0", "eth0:", ""},
           Said{"", "", ""},
       })
    EXPECT_EQ(own_mac(said.port, said.message), said.mac) << said.message;
}

}  // namespace
}  // namespace mikroscope::routeros
