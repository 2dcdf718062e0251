// The walk through the firewall, and what the checks make of it.

#include <gtest/gtest.h>

#include "tests/routeros/checks/router_facts.h"

namespace mikroscope::routeros::checks_test {
namespace {

const std::string kRaw = "/ip/firewall/raw";
const std::string kFilter = "/ip/firewall/filter";

// Read by nobody in particular: only the answers are judged.
Facts with_raw(const std::vector<Pairs>& rules) {
  Facts f = home_router();
  f.local_address = "";
  f.put(kRaw, rows(rules));
  return f;
}

// MikroTik's advanced raw rules, as far as they matter here: both traps.
std::vector<Pairs> advanced_raw(const std::string& source) {
  const auto [name, value] = std::pair<std::string, std::string>(
      source.front() == '@' ? "src-address-list" : "src-address", "!" + source.substr(source[0] == '@'));
  return {
      {{".id", "*10"}, {"chain", "prerouting"}, {"action", "accept"}, {"disabled", "true"}},
      {{".id", "*11"},
       {"chain", "prerouting"},
       {"action", "accept"},
       {"protocol", "udp"},
       {"src-port", "68"},
       {"in-interface-list", "LAN"}},
      {{".id", "*12"}, {"chain", "prerouting"}, {"action", "drop"}, {"src-address-list", "bad_ipv4"}},
      {{".id", "*13"},
       {"chain", "prerouting"},
       {"action", "drop"},
       {"in-interface-list", "LAN"},
       {name, value},
       {"comment", "drop local if not from default IP range"}},
      {{".id", "*14"},
       {"chain", "prerouting"},
       {"action", "jump"},
       {"jump-target", "bad_tcp"},
       {"protocol", "tcp"}},
      {{".id", "*15"}, {"chain", "prerouting"}, {"action", "accept"}, {"in-interface-list", "LAN"}},
      {{".id", "*16"}, {"chain", "prerouting"}, {"action", "accept"}, {"in-interface-list", "WAN"}},
      {{".id", "*17"}, {"chain", "prerouting"}, {"action", "drop"}, {"comment", "drop the rest"}},
      {{".id", "*18"}, {"chain", "bad_tcp"}, {"action", "drop"}, {"protocol", "tcp"}, {"src-port", "0"}},
  };
}

TEST(FirewallCheck, TheHomeConfigurationNeedsNoMembership) {
  const Finding with = run_check("firewall", home_router());
  EXPECT_EQ(with.level, Level::ok);
  EXPECT_EQ(with.evidence, "its answers pass, and would without any list");
  const Finding without =
      run_check("firewall", home_router(), options_with({{"iface-list", "none"}, {"addr-list", "none"}}));
  EXPECT_EQ(without.level, Level::ok);
  EXPECT_EQ(without.evidence, "its answers pass without any list");
}

// Trap 1: whatever is not of the LAN list is dropped.
TEST(FirewallCheck, TrapOfTheInterfaceList) {
  const Facts f = with_raw(
      {{{".id", "*10"}, {"chain", "prerouting"}, {"action", "drop"}, {"in-interface-list", "!LAN"}}});
  EXPECT_EQ(run_check("firewall", f).level, Level::ok);
  EXPECT_EQ(run_check("firewall", f).evidence, "its answers pass");
  const Finding outside = run_check("firewall", f, options_with({{"iface-list", "none"}}));
  EXPECT_EQ(outside.level, Level::missing);
  EXPECT_EQ(
      outside.evidence,
      "the agent's answers are dropped by /ip/firewall/raw *10, chain=prerouting in-interface-list=!LAN "
      "action=drop");
  EXPECT_EQ(outside.fix, "--iface-list LAN");
}

// Trap 2: a LAN packet with a foreign source is dropped; the address list lets it through.
TEST(FirewallCheck, TrapOfTheAddressList) {
  Facts f = with_raw(advanced_raw("@LANs"));
  append(f, "/ip/firewall/address-list", {{"list", "LANs"}, {"address", "192.168.88.0/24"}});
  EXPECT_EQ(run_check("firewall", f).level, Level::ok) << run_check("firewall", f).evidence;
  const Finding outside = run_check("firewall", f, options_with({{"addr-list", "none"}}));
  EXPECT_EQ(outside.level, Level::missing);
  EXPECT_NE(outside.evidence.find("src-address-list=!LANs"), std::string::npos) << outside.evidence;
  EXPECT_EQ(outside.fix, "--addr-list LANs");
}

TEST(FirewallCheck, BothTrapsAreSolvedTogether) {
  Facts f = with_raw(advanced_raw("@LANs"));
  append(f, "/ip/firewall/address-list", {{"list", "LANs"}, {"address", "192.168.88.0/24"}});
  const Finding both =
      run_check("firewall", f, options_with({{"iface-list", "none"}, {"addr-list", "none"}}));
  EXPECT_EQ(both.level, Level::missing);
  EXPECT_EQ(both.fix, "--iface-list LAN --addr-list LANs");
}

TEST(FirewallCheck, ListsOfOtherNamesAreFound) {
  Facts f = home_router();
  append(f, "/interface/list", {{"name", "HOME"}});
  append(f, "/interface/list/member", {{"list", "HOME"}, {"interface", "bridge"}});
  f.put(
      kRaw,
      rows({{{".id", "*10"}, {"chain", "prerouting"}, {"action", "drop"}, {"in-interface-list", "!HOME"}}}));
  const Finding found = run_check("firewall", f);
  EXPECT_EQ(found.level, Level::missing);
  EXPECT_EQ(found.fix, "--iface-list HOME");
}

// The range is written into the rule: no list helps, a rule in front of it does.
TEST(FirewallCheck, ALiteralRangeNeedsAnAcceptRule) {
  const Facts f = with_raw(advanced_raw("192.168.88.0/24"));
  const Finding found = run_check("firewall", f);
  EXPECT_EQ(found.level, Level::missing);
  EXPECT_EQ(found.fix,
            "`/ip/firewall/raw/add chain=prerouting src-address=172.30.10.2 protocol=tcp src-port=9123 "
            "action=accept place-before=*13 comment=\"answers of mikroscope\"`");
  const Finding inside = run_check("firewall", f, options_with({{"subnet", "192.168.88.252/30"}}));
  EXPECT_EQ(inside.level, Level::ok) << inside.evidence;
}

TEST(FirewallCheck, TheUplinksListIsNeverProposed) {
  const Facts f = with_raw(
      {{{".id", "*10"}, {"chain", "prerouting"}, {"action", "drop"}, {"in-interface-list", "!WAN"}}});
  const Finding found = run_check("firewall", f);
  EXPECT_EQ(found.level, Level::missing);
  EXPECT_EQ(found.fix.find("WAN"), std::string::npos) << found.fix;
  EXPECT_NE(found.fix.find("place-before=*10"), std::string::npos) << found.fix;
}

TEST(FirewallCheck, JumpsAreFollowedAndReturnFromThem) {
  const std::vector<Pairs> rules = {
      {{".id", "*1"}, {"chain", "prerouting"}, {"action", "jump"}, {"jump-target", "agents"}},
      {{".id", "*2"}, {"chain", "prerouting"}, {"action", "drop"}},
      {{".id", "*3"}, {"chain", "agents"}, {"action", "return"}, {"protocol", "udp"}},
      {{".id", "*4"}, {"chain", "agents"}, {"action", "accept"}, {"src-address", "172.30.10.0/24"}},
  };
  EXPECT_EQ(run_check("firewall", with_raw(rules)).level, Level::ok);
  std::vector<Pairs> returning = rules;
  returning[2] = {{".id", "*3"}, {"chain", "agents"}, {"action", "return"}, {"protocol", "tcp"}};
  const Finding dropped = run_check("firewall", with_raw(returning));
  EXPECT_EQ(dropped.level, Level::missing);
  EXPECT_NE(dropped.evidence.find("raw *2"), std::string::npos) << dropped.evidence;
}

TEST(FirewallCheck, ADropInsideAJumpIsNamed) {
  const Finding found = run_check(
      "firewall",
      with_raw({{{".id", "*1"}, {"chain", "prerouting"}, {"action", "jump"}, {"jump-target", "deep"}},
                {{".id", "*2"}, {"chain", "deep"}, {"action", "jump"}, {"jump-target", "deeper"}},
                {{".id", "*3"},
                 {"chain", "deeper"},
                 {"action", "drop"},
                 {"in-interface", "!bridge"},
                 {"protocol", "6"}}}));
  EXPECT_EQ(found.level, Level::missing);
  EXPECT_NE(found.evidence.find("raw *3, chain=deeper in-interface=!bridge"), std::string::npos)
      << found.evidence;
  EXPECT_NE(found.fix.find("add chain=deeper "), std::string::npos) << found.fix;
}

TEST(FirewallCheck, ChainsThatJumpInACircleEnd) {
  const Finding found =
      run_check("firewall",
                with_raw({{{".id", "*1"}, {"chain", "prerouting"}, {"action", "jump"}, {"jump-target", "a"}},
                          {{".id", "*2"}, {"chain", "a"}, {"action", "jump"}, {"jump-target", "a"}}}));
  EXPECT_NE(found.level, Level::missing);
}

TEST(FirewallCheck, AnUnknownMatcherMakesItUncertain) {
  const Finding drop = run_check(
      "firewall", with_raw({{{".id", "*1"}, {"chain", "prerouting"}, {"action", "drop"}, {"random", "50"}}}));
  EXPECT_EQ(drop.level, Level::warn);
  EXPECT_NE(drop.evidence.find("may be dropped by /ip/firewall/raw *1"), std::string::npos) << drop.evidence;
  // An uncertain accept does not save it from a certain drop.
  const Finding accept = run_check(
      "firewall", with_raw({{{".id", "*1"}, {"chain", "prerouting"}, {"action", "accept"}, {"random", "50"}},
                            {{".id", "*2"}, {"chain", "prerouting"}, {"action", "drop"}}}));
  EXPECT_EQ(accept.level, Level::warn);
}

TEST(FirewallCheck, RulesThatDoNotCount) {
  const Pairs drop = {{".id", "*1"}, {"chain", "prerouting"}, {"action", "drop"}};
  for (const std::pair<std::string, std::string> why :
       {std::pair("disabled", "true"), std::pair("invalid", "true"),
        std::pair("in-interface-list", "*2000010"), std::pair("in-interface-list", "none"),
        std::pair("protocol", "udp"), std::pair("src-port", "1-9122,9124"),
        std::pair("src-address", "172.30.11.0/24"), std::pair("dst-address-type", "multicast,broadcast")}) {
    Pairs rule = drop;
    rule.push_back(why);
    EXPECT_EQ(run_check("firewall", with_raw({rule})).level, Level::ok) << why.first << "=" << why.second;
  }
}

TEST(FirewallCheck, NegationsAndRangesThatMatch) {
  const Pairs drop = {{".id", "*1"}, {"chain", "prerouting"}, {"action", "drop"}};
  for (const std::pair<std::string, std::string> why :
       {std::pair("in-interface-list", "!*2000010"), std::pair("src-port", "9000-9200"),
        std::pair("src-port", "80,9123"), std::pair("port", "9123"), std::pair("protocol", "!udp"),
        std::pair("src-address", "172.30.10.1-172.30.10.2"), std::pair("src-address-type", "unicast"),
        std::pair("dst-address", "192.168.88.0/24"), std::pair("src-address-type", "!local")}) {
    Pairs rule = drop;
    rule.push_back(why);
    Facts f = with_raw({rule});
    f.local_address = "192.168.88.10";
    EXPECT_EQ(run_check("firewall", f).level, Level::missing) << why.first << "=" << why.second;
  }
}

TEST(FirewallCheck, FilterAfterRaw) {
  Facts f = home_router();
  std::vector<Row> rules = home_filter();
  rules.insert(
      rules.begin(),
      row({{".id", "*F0"}, {"chain", "forward"}, {"action", "reject"}, {"in-interface", "veth-mikro"}}));
  f.put(kFilter, rules);
  const Finding found = run_check("firewall", f);
  EXPECT_EQ(found.level, Level::missing);
  EXPECT_NE(found.fix.find("/ip/firewall/filter/add chain=forward"), std::string::npos) << found.fix;
  EXPECT_NE(found.fix.find("place-before=*F0"), std::string::npos) << found.fix;
}

// Raw without tracking: filter then sees an untracked packet, which the home rules accept.
TEST(FirewallCheck, UntrackedPackets) {
  Facts f = with_raw({{{".id", "*1"}, {"chain", "prerouting"}, {"action", "notrack"}, {"protocol", "tcp"}}});
  EXPECT_EQ(run_check("firewall", f).level, Level::ok);
  f.put(
      kFilter,
      rows({{{".id", "*1"}, {"chain", "forward"}, {"action", "accept"}, {"connection-state", "established"}},
            {{".id", "*2"}, {"chain", "forward"}, {"action", "drop"}}}));
  EXPECT_EQ(run_check("firewall", f).level, Level::missing);
}

TEST(FirewallCheck, OnlyTheRelayIsDropped) {
  Facts f = home_router();
  f.put(kFilter,
        rows({{{".id", "*1"}, {"chain", "input"}, {"action", "drop"}, {"in-interface-list", "!LAN"}}}));
  const Finding found = run_check("firewall", f, options_with({{"iface-list", "none"}}));
  EXPECT_EQ(found.level, Level::warn);
  EXPECT_NE(found.evidence.find("answers to the router itself are dropped by /ip/firewall/filter *1"),
            std::string::npos)
      << found.evidence;
  EXPECT_NE(found.fix.find("--iface-list LAN"), std::string::npos) << found.fix;
}

TEST(FirewallCheck, ThisMachineStandsAtTheUplink) {
  Facts f = home_router();
  f.local_address = "203.0.113.9";
  const Finding found = run_check("firewall", f);
  EXPECT_EQ(found.level, Level::warn);
  EXPECT_NE(found.evidence.find(
                "requests from here (203.0.113.9 on ether1) may be dropped by /ip/firewall/filter *B"),
            std::string::npos)
      << found.evidence;
  f.local_address = "127.0.0.1";  // the session came through a tunnel: that says nothing
  EXPECT_EQ(run_check("firewall", f).level, Level::ok);
}

TEST(FirewallCheck, WhatAnInstallationHasAddedDoesNotCount) {
  Facts f = with_raw(
      {{{".id", "*10"}, {"chain", "prerouting"}, {"action", "drop"}, {"in-interface-list", "!LAN"}}});
  append(f, "/interface/list/member",
         {{"list", "LAN"}, {"interface", "veth-mikro"}, {"comment", default_options().tag()}});
  EXPECT_EQ(run_check("firewall", f, options_with({{"iface-list", "none"}})).level, Level::missing);
}

TEST(FirewallCheck, AMenuThatMayNotBeReadNamesThePolicy) {
  Facts f = home_router();
  f.put_refused(kRaw, {"not enough permissions (9)", 4, "/ip/firewall/raw/print"});
  const Finding found = run_check("firewall", f);
  EXPECT_EQ(found.level, Level::warn);
  EXPECT_EQ(found.evidence,
            "not known: the account may not read /ip/firewall/raw (not enough permissions (9))");
  EXPECT_NE(found.fix.find("\"read\""), std::string::npos);
}

TEST(Firewall6Check, OnlyWithAnAddress) {
  Facts f = home_router();
  EXPECT_EQ(run_check("firewall-ipv6", f).level, Level::skip);
  append(f, "/interface/veth",
         {{"name", "veth-mikro"},
          {"address", "172.30.10.2/30,2001:db8:1::2/64"},
          {"comment", default_options().tag()}});
  EXPECT_EQ(run_check("firewall-ipv6", f).level, Level::ok);
  f.put(
      "/ipv6/firewall/filter",
      rows({{{".id", "*7"}, {"chain", "forward"}, {"action", "drop"}, {"src-address", "!2001:db8:2::/48"}}}));
  const Finding found = run_check("firewall-ipv6", f);
  EXPECT_EQ(found.level, Level::warn);
  EXPECT_NE(found.evidence.find("answers from 2001:db8:1::2 are dropped by /ipv6/firewall/filter *7"),
            std::string::npos)
      << found.evidence;
  EXPECT_NE(found.fix.find("place-before=*7"), std::string::npos);
}

TEST(FirewallRulesCheck, InvalidRulesAndDeletedLists) {
  Facts f = home_router();
  EXPECT_EQ(run_check("firewall-rules", f).level, Level::ok);
  append(f, kFilter,
         {{".id", "*20"}, {"chain", "input"}, {"action", "drop"}, {"in-interface-list", "!*2000010"}});
  const Finding deleted = run_check("firewall-rules", f);
  EXPECT_EQ(deleted.level, Level::warn);
  EXPECT_EQ(deleted.fix, "`/ip/firewall/filter/set *20 in-interface-list=!LIST`");

  Facts g = home_router();
  append(g, kFilter,
         {{".id", "*21"},
          {"chain", "input"},
          {"action", "drop"},
          {"in-interface", "ether9"},
          {"invalid", "true"},
          {".about", "ether9 not ready"}});
  const Finding invalid = run_check("firewall-rules", g);
  EXPECT_EQ(invalid.level, Level::warn);
  EXPECT_NE(invalid.evidence.find("ether9 not ready"), std::string::npos);
  EXPECT_EQ(invalid.fix, "correct it, or `/ip/firewall/filter/disable *21`");

  Facts h = home_router();
  append(h, kFilter, {{".id", "*22"}, {"chain", "input"}, {"action", "drop"}, {"invalid", "true"}});
  EXPECT_NE(run_check("firewall-rules", h).fix.find("run this again"), std::string::npos);
}

TEST(OpenResolverCheck, AnswersFromTheUplink) {
  Facts f = home_router();
  const Finding closed = run_check("open-resolver", f);
  EXPECT_EQ(closed.level, Level::ok) << closed.evidence;
  EXPECT_EQ(closed.evidence, "questions from ether1 are dropped");
  f.put(kFilter, rows({{{".id", "*1"}, {"chain", "input"}, {"action", "accept"}, {"protocol", "icmp"}}}));
  const Finding open = run_check("open-resolver", f);
  EXPECT_EQ(open.level, Level::warn);
  EXPECT_EQ(open.evidence, "it answers questions from ether1");
  EXPECT_EQ(open.fix,
            "`/ip/firewall/filter/add chain=input in-interface=ether1 protocol=udp dst-port=53 action=drop "
            "place-before=*1` and `/ip/firewall/filter/add chain=input in-interface=ether1 protocol=tcp "
            "dst-port=53 action=drop place-before=*1`, or `/ip/dns/set allow-remote-requests=no`");
  change(f, "/ip/dns", {{"allow-remote-requests", "false"}});
  EXPECT_EQ(run_check("open-resolver", f).level, Level::ok);
}

}  // namespace
}  // namespace mikroscope::routeros::checks_test
