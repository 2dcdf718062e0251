// Interface lists and address lists, and where the uplink is.

#include <gtest/gtest.h>

#include "routeros/deploy/firewall_sets.h"
#include "routeros/deploy/firewall_uplink.h"
#include "tests/routeros/checks/router_facts.h"

namespace mikroscope::routeros::checks_test {
namespace {

TEST(InterfaceLists, MembersAndBuiltins) {
  const Facts f = home_router();
  const InterfaceLists lists(f, {});
  EXPECT_EQ(lists.has("LAN", "bridge"), Truth::yes);
  EXPECT_EQ(lists.has("LAN", "ether1"), Truth::no);
  EXPECT_EQ(lists.has("all", "anything"), Truth::yes);
  EXPECT_EQ(lists.has("none", "bridge"), Truth::no);
  EXPECT_EQ(lists.has("static", "bridge"), Truth::yes);
  EXPECT_EQ(lists.has("dynamic", "bridge"), Truth::no);
  EXPECT_EQ(lists.has("dynamic", "unheard-of"), Truth::maybe);
  EXPECT_EQ(lists.has("*2000010", "bridge"), Truth::no);  // deleted: empty
  EXPECT_EQ(lists.has("unheard-of", "bridge"), Truth::no);
}

TEST(InterfaceLists, IncludesComeFirstThenExcludesThenMembers) {
  Facts f = home_router();
  append(f, "/interface/list", {{"name", "TRUSTED"}, {"include", "LAN,VPN"}, {"exclude", "GUESTS"}});
  append(f, "/interface/list", {{"name", "VPN"}});
  append(f, "/interface/list", {{"name", "GUESTS"}});
  append(f, "/interface/list/member", {{"list", "LAN"}, {"interface", "ether5"}});
  append(f, "/interface/list/member", {{"list", "GUESTS"}, {"interface", "ether5"}});
  append(f, "/interface/list/member", {{"list", "GUESTS"}, {"interface", "ether6"}});
  append(f, "/interface/list/member", {{"list", "TRUSTED"}, {"interface", "ether6"}});
  append(f, "/interface/list/member", {{"list", "TRUSTED"}, {"interface", "ether7"}, {"disabled", "true"}});
  const InterfaceLists lists(f, {{"VPN", "wg1"}});
  EXPECT_EQ(lists.has("TRUSTED", "bridge"), Truth::yes);
  EXPECT_EQ(lists.has("TRUSTED", "wg1"), Truth::yes);     // planned, through an include
  EXPECT_EQ(lists.has("TRUSTED", "ether5"), Truth::no);   // excluded again
  EXPECT_EQ(lists.has("TRUSTED", "ether6"), Truth::yes);  // its own member, although excluded
  EXPECT_EQ(lists.has("TRUSTED", "ether7"), Truth::no);
  EXPECT_EQ(lists.lists_of("ether5"), (std::vector<std::string>{"LAN", "GUESTS"}));
}

TEST(InterfaceLists, ListsThatIncludeEachOtherEnd) {
  Facts f = home_router();
  append(f, "/interface/list", {{"name", "A"}, {"include", "B"}});
  append(f, "/interface/list", {{"name", "B"}, {"include", "A"}});
  EXPECT_NE(InterfaceLists(f, {}).has("A", "bridge"), Truth::yes);
}

TEST(InterfaceLists, WithoutPermissionNothingIsCertain) {
  Facts f = home_router();
  f.put_refused("/interface/list/member", {"not enough permissions (9)", 4, ""});
  const InterfaceLists lists(f, {{"LAN", "veth-mikro"}});
  EXPECT_EQ(lists.has("LAN", "bridge"), Truth::maybe);
  EXPECT_EQ(lists.has("LAN", "veth-mikro"), Truth::yes);
}

TEST(InterfaceLists, OwnMembersCanBeLeftOut) {
  Facts f = home_router();
  append(f, "/interface/list/member", {{"list", "LAN"}, {"interface", "veth-mikro"}, {"comment", "ours"}});
  EXPECT_EQ(InterfaceLists(f, {}).has("LAN", "veth-mikro"), Truth::yes);
  EXPECT_EQ(InterfaceLists(f, {}, "ours").has("LAN", "veth-mikro"), Truth::no);
}

TEST(AddressLists, Entries) {
  Facts f = home_router();
  for (const std::string address : {"192.168.88.0/24", "10.1.0.5-10.1.0.9", "host.example"})
    append(f, "/ip/firewall/address-list", {{"list", "LANs"}, {"address", address}});
  append(f, "/ip/firewall/address-list", {{"list", "LANs"}, {"address", "10.9.9.9"}, {"disabled", "true"}});
  append(f, "/ip/firewall/address-list",
         {{"list", "LANs"}, {"address", "10.8.8.8"}, {"dynamic", "true"}, {"timeout", "5m"}});
  append(f, "/ip/firewall/address-list", {{"list", "ANY"}, {"address", "0.0.0.0/0"}});
  const AddressEntries entries = address_entries(f, "/ip/firewall/address-list");
  const AddressLists lists(entries, {{"LANs", "172.30.10.0/30"}});
  const auto in = [&lists](std::string_view list, std::string_view address) {
    return lists.has(list, parse_ip(address));
  };
  EXPECT_EQ(in("LANs", "192.168.88.77"), Truth::yes);
  EXPECT_EQ(in("LANs", "10.1.0.9"), Truth::yes);
  EXPECT_EQ(in("LANs", "10.1.0.10"), Truth::no);
  EXPECT_EQ(in("LANs", "172.30.10.2"), Truth::yes);
  EXPECT_EQ(in("LANs", "10.9.9.9"), Truth::no);
  EXPECT_EQ(in("LANs", "10.8.8.8"), Truth::maybe);
  EXPECT_EQ(in("*2000010", "10.8.8.8"), Truth::no);
  EXPECT_EQ(lists.has("LANs", std::nullopt), Truth::maybe);
  EXPECT_EQ(lists.has("ANY", std::nullopt), Truth::yes);
  EXPECT_EQ(lists.has("NOBODY", std::nullopt), Truth::no);
}

TEST(Uplink, OfAGatewayAndOfAPointToPointLink) {
  Facts f = home_router();
  EXPECT_EQ(uplinks(f), (std::vector<std::string>{"ether1"}));
  f.put("/ip/route", rows({{{"dst-address", "0.0.0.0/0"},
                            {"gateway", "pppoe-out1"},
                            {"immediate-gw", "pppoe-out1"},
                            {"active", "true"}}}));
  EXPECT_EQ(uplinks(f), (std::vector<std::string>{"pppoe-out1"}));
}

TEST(Uplink, OnlyActiveRoutesOfTheMainTableCount) {
  Facts f = home_router();
  f.put("/ip/route",
        rows({{{"dst-address", "0.0.0.0/0"}, {"immediate-gw", "10.0.0.1%ether2"}},
              {{"dst-address", "0.0.0.0/0"}, {"immediate-gw", "10.0.0.1%ether3"}, {"active", "false"}},
              {{"dst-address", "0.0.0.0/0"},
               {"immediate-gw", "10.0.0.1%ether4"},
               {"active", "true"},
               {"routing-table", "vpn"}},
              {{"dst-address", "0.0.0.0/0"}, {"blackhole", "true"}, {"active", "true"}}}));
  EXPECT_TRUE(uplinks(f).empty());
}

TEST(Uplink, TheLongestRouteDecides) {
  const Facts f = home_router();
  EXPECT_EQ(interface_towards(f, *parse_ip("192.168.88.10")), "bridge");
  EXPECT_EQ(interface_towards(f, *parse_ip("203.0.113.5")), "ether1");
  EXPECT_EQ(interface_holding(f, *parse_ip("192.168.88.1")), "bridge");
  EXPECT_EQ(interface_holding(f, *parse_ip("192.168.88.2")), "");
}

TEST(Uplink, Lists) {
  Facts f = home_router();
  EXPECT_EQ(uplink_lists(f), (std::vector<std::string>{"WAN"}));
  append(f, "/interface/list", {{"name", "OUTSIDE"}, {"include", "WAN"}});
  EXPECT_EQ(uplink_lists(f), (std::vector<std::string>{"WAN", "OUTSIDE"}));
}

}  // namespace
}  // namespace mikroscope::routeros::checks_test
