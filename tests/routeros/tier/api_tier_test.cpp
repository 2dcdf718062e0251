// What a tier makes of a router that is well.
#include "routeros/tier/api_tier.h"

#include <gmock/gmock.h>

#include "base/clock.h"
#include "tests/routeros/tier/tier_on_double.h"

namespace mikroscope::test {
namespace {

using model::Event;
using routeros::ApiPreset;
using routeros::ApiTierOptions;
using testing::Contains;
using testing::ElementsAre;
using testing::Not;
using Names = std::vector<std::string>;

// The double's clock begins at 1000 s; see its menus for the numbers.
TEST(ApiTier, SystemAndCoresOfEveryRound) {
  TierOnDouble sim(every_second());
  const std::vector<Event> events = sim.round();
  EXPECT_EQ(number(events, "api_system", {}, "cpu_load"), 3);
  EXPECT_EQ(number(events, "api_system", {}, "total_memory"), 1073741824);
  EXPECT_EQ(number(events, "api_system", {}, "free_memory"), 838860800);
  EXPECT_EQ(number(events, "api_system", {}, "uptime_s"), 60);
  EXPECT_EQ(text(events, "api_system", {}, "version"), "7.24.2 (stable)");
  EXPECT_THAT(rows(events, "api_core"), ElementsAre("0", "1", "2", "3"));
  EXPECT_EQ(number(events, "api_core", {"0"}, "irq"), 2);
  EXPECT_EQ(number(events, "api_core", {"2"}, "load"), 5);
  EXPECT_EQ(with(events, "api_health"), nullptr);
  EXPECT_EQ(with(events, "api_conntrack"), nullptr);
  EXPECT_EQ(with(events, "api_iface"), nullptr);
  EXPECT_EQ(with(events, "api_error"), nullptr);
  for (const Event& event : events) {
    EXPECT_EQ(event.kind, model::EventKind::api);
    EXPECT_EQ(event.wall_ns, kWall + 100 * kSecond);
    EXPECT_EQ(event.origin->host, "router");
  }
  EXPECT_EQ(number(sim.next_round(), "api_system", {}, "cpu_load"), 4);
  EXPECT_EQ(sim.lines(), "");
}

TEST(ApiTier, RoundsKeepTheirGrid) {
  TierOnDouble sim(every_second());
  EXPECT_EQ(sim.tier->next_due_ns(), 0);
  sim.round();
  EXPECT_EQ(sim.tier->next_due_ns(), 101 * kSecond);
  sim.advance(999);
  EXPECT_TRUE(sim.round().empty());  // too early: nothing is asked
  sim.advance(401);                  // late
  EXPECT_FALSE(sim.round().empty());
  EXPECT_EQ(sim.tier->next_due_ns(), 102 * kSecond);
  sim.advance(5000);
  sim.round();
  EXPECT_EQ(sim.tier->next_due_ns(), 107 * kSecond);  // what was missed is not made up for
  EXPECT_EQ(sim.tier->counts().rounds, 3u);
}

TEST(ApiTier, OffAsksNothing) {
  TierOnDouble sim(ApiTierOptions::of(ApiPreset::off));
  EXPECT_EQ(sim.tier->next_due_ns(), INT64_MAX);
  EXPECT_TRUE(sim.round().empty());
  EXPECT_EQ(sim.router.requests().logins(), 0u);
}

TEST(ApiTier, HealthHasNumbersOnly) {
  ApiTierOptions options = every_second();
  options.health = true;
  TierOnDouble sim(options);
  const std::vector<Event> events = sim.round();
  // board-temperature1 reads n/a.
  EXPECT_THAT(rows(events, "api_health"), ElementsAre("cpu-temperature", "voltage"));
  EXPECT_DOUBLE_EQ(*number(events, "api_health", {"voltage"}, "value"), 24.1);
  TierOnDouble virtual_one(options, {.arch = "x86_64"});
  EXPECT_EQ(with(virtual_one.round(), "api_health"), nullptr);
}

TEST(ApiTier, RatesOfChosenInterfacesInOneCommand) {
  ApiTierOptions options = every_second();
  options.interfaces = {"ether?", "bridge", "!ether3", "etehr9"};
  TierOnDouble sim(options);
  const std::vector<Event> events = sim.round();
  EXPECT_THAT(rows(events, "api_iface"),
              ElementsAre("ether1||ether|WAN|", "ether2||ether|LAN|bridge", "ether4||ether||",
                          "ether5||ether||", "bridge|defconf|bridge|LAN|"));
  EXPECT_EQ(sim.asked("/interface/monitor-traffic"), 1u);
  // ether1 is *2; 1000 s % 7 = 6.
  EXPECT_EQ(number(events, "api_iface", {"ether1"}, "rx_pps"), 206);
  EXPECT_EQ(number(events, "api_iface", {"ether1"}, "rx_bps"), 1648000);
  EXPECT_EQ(number(events, "api_iface", {"ether1"}, "tx_queue_drops"), 0);
  // A port tells no drops: that is not 0. Errors nobody tells.
  EXPECT_EQ(number(events, "api_iface", {"ether1"}, "rx_drops"), std::nullopt);
  EXPECT_EQ(number(events, "api_iface", {"bridge"}, "rx_drops"), 0);
  EXPECT_EQ(number(events, "api_iface", {"bridge"}, "rx_errors"), std::nullopt);
  EXPECT_EQ(sim.lines(),
            "api tier: monitor-traffic: the router has no interface \"etehr9\" that could be asked; the "
            "others are\n");
  sim.next_round();
  EXPECT_EQ(sim.said.size(), 1u);
  EXPECT_EQ(sim.tier->counts().failed_rounds, 0u);
}

TEST(ApiTier, InventoryIsReadAgainAndFollowed) {
  ApiTierOptions options = every_second();
  options.interfaces = {"ether1", "nas"};
  options.labels_every_ns = 10 * kSecond;
  TierOnDouble sim(options);
  std::vector<Event> events = sim.round();
  EXPECT_THAT(rows(events, "api_iface"), ElementsAre("ether1||ether|WAN|"));
  EXPECT_EQ(text(events, "api_ifinfo", {"ether2"}, "default_name"), "ether2");
  EXPECT_EQ(number(events, "api_ifinfo", {"bridge"}, "mtu"), 1500);
  EXPECT_EQ(number(events, "api_ifinfo", {"ether3"}, "running"), 0);
  EXPECT_EQ(text(events, "api_ifinfo", {"bridge"}, "default_name"), "");
  sim.run("/interface/ethernet/set", {{".id", "ether2"}, {"name", "nas"}, {"comment", "the NAS"}});
  EXPECT_EQ(with(sim.next_round(), "api_ifinfo"), nullptr);
  sim.advance(9000);
  events = sim.round();
  EXPECT_THAT(rows(events, "api_iface"), ElementsAre("ether1||ether|WAN|", "nas|the NAS|ether|LAN|bridge"));
  EXPECT_EQ(text(events, "api_ifinfo", {"nas"}, "default_name"), "ether2");
}

TEST(ApiTier, CountersOfAllInterfacesAtTheirOwnPace) {
  ApiTierOptions options = every_second();
  options.counters_every_ns = 10 * kSecond;
  TierOnDouble sim(options);
  std::vector<Event> events = sim.round();
  // ether1 is the second interface: 2 * 1000000 + 1000 s * 1200.
  EXPECT_EQ(number(events, "api_ifcounters", {"ether1"}, "rx_byte"), 3'200'000);
  EXPECT_EQ(number(events, "api_ifcounters", {"ether1"}, "driver_rx_byte"), 3'200'000);
  EXPECT_EQ(number(events, "api_ifcounters", {"ether1"}, "rx_overflow"), 652364);
  EXPECT_EQ(number(events, "api_ifcounters", {"bridge"}, "rx_overflow"), std::nullopt);
  EXPECT_EQ(with(events, "derived_iface"), nullptr);
  for (int i = 0; i < 9; ++i) EXPECT_EQ(with(sim.next_round(), "api_ifcounters"), nullptr);
  events = sim.next_round();
  EXPECT_EQ(number(events, "api_ifcounters", {"ether1"}, "rx_byte"), 3'212'000);
  EXPECT_EQ(number(events, "derived_iface", {"ether1"}, "rx_bytes"), 12'000);
  EXPECT_DOUBLE_EQ(*number(events, "derived_iface", {"ether1"}, "fp_rx_share"), 0.25);
  EXPECT_DOUBLE_EQ(*number(events, "derived_iface", {"ether1"}, "fp_tx_share"), 0.5);
  EXPECT_EQ(number(events, "derived_iface", {"bridge"}, "tx_bytes"), std::nullopt);
  EXPECT_EQ(with(events, "derived_iface")->dt_ns, 10 * kSecond);
}

TEST(ApiTier, FullAlsoAsksWhatTheRouterDoesForOthers) {
  TierOnDouble sim(ApiTierOptions::of(ApiPreset::full), {.presets = {"home", "clients"}});
  const std::vector<Event> events = sim.round();
  EXPECT_EQ(number(events, "api_conntrack", {}, "entries"), 150);
  EXPECT_EQ(rows(events, "api_queue"),
            (Names{"simple|guests|none|192.168.88.128/25", "tree|uplink|ether1|"}));
  EXPECT_EQ(number(events, "api_queue", {"simple", "guests"}, "bytes_up"), 6'000'000);
  EXPECT_EQ(number(events, "api_queue", {"simple", "guests"}, "rate_down"), 1'200'000);
  EXPECT_EQ(number(events, "api_queue", {"simple", "guests"}, "bytes"), std::nullopt);
  EXPECT_EQ(number(events, "api_queue", {"tree", "uplink"}, "dropped"), 20);
  EXPECT_EQ(number(events, "api_queue", {"tree", "uplink"}, "dropped_up"), std::nullopt);
  EXPECT_EQ(rows(events, "api_ppp"), (Names{"all", "l2tp"}));
  EXPECT_EQ(number(events, "api_ppp", {"all"}, "active"), 1);
  EXPECT_EQ(number(events, "api_dhcp", {}, "bound"), 2);
  EXPECT_EQ(number(events, "api_hotspot", {}, "active"), 1);
  EXPECT_EQ(rows(events, "api_wireless"), Names{"wifi|wifi1"});
  EXPECT_EQ(number(events, "api_wireless", {"wifi", "wifi1"}, "clients"), 2);
  EXPECT_EQ(number(events, "api_routes", {"ipv4"}, "routes"), 3);  // default, uplink, LAN
  EXPECT_EQ(number(events, "api_neighbors", {"ipv6"}, "entries"), 2);
}

TEST(ApiTier, ClientsThatLeaveAreZeroAndNotAbsent) {
  ApiTierOptions options = ApiTierOptions::of(ApiPreset::full);
  options.clients_every_ns = kSecond;
  TierOnDouble sim(options, {.presets = {"home", "clients"}});
  EXPECT_EQ(number(sim.round(), "api_ppp", {"l2tp"}, "active"), 1);
  // The menus read empty for a while.
  ASSERT_EQ(sim.router.set_fault("boot=3600000"), std::nullopt);
  const std::vector<Event> events = sim.next_round();
  EXPECT_EQ(number(events, "api_ppp", {"l2tp"}, "active"), 0);
  EXPECT_EQ(number(events, "api_ppp", {"all"}, "active"), 0);
  EXPECT_EQ(number(events, "api_wireless", {"wifi", "wifi1"}, "clients"), 0);
  EXPECT_EQ(number(events, "api_dhcp", {}, "bound"), 0);
}

TEST(ApiTier, CountersOfCommentedRulesAlone) {
  ApiTierOptions options = ApiTierOptions::of(ApiPreset::full);
  TierOnDouble sim(options, {.presets = {"bare"}});
  for (const char* comment : {"ssh", "", "dns", "ssh"})
    sim.run("/ip/firewall/filter/add", {{"chain", "input"}, {"action", "accept"}, {"comment", comment}});
  sim.run("/ip/firewall/raw/add", {{"chain", "prerouting"}, {"action", "drop"}, {"comment", "ssh"}});
  sim.advance(1000);
  const std::vector<Event> events = sim.round();
  EXPECT_EQ(rows(events, "api_firewall"),
            (Names{"filter|input|dns", "filter|input|ssh", "raw|prerouting|ssh"}));
  // 10 packets a second for each place: the first and the fourth rule have the same comment.
  EXPECT_EQ(number(events, "api_firewall", {"filter", "input", "ssh"}, "packets"), 50);
  EXPECT_EQ(number(events, "api_firewall", {"filter", "input", "ssh"}, "bytes"), 35'000);
  EXPECT_EQ(number(events, "api_firewall", {"filter", "input", "dns"}, "packets"), 30);
}

TEST(ApiTier, HostileTextsAreStoredAsUtf8) {
  TierOnDouble sim(every_second());
  ASSERT_EQ(sim.router.set_fault("odd-values"), std::nullopt);
  const std::vector<std::string> found = rows(sim.round(), "api_ifinfo");
  EXPECT_THAT(found, Contains(testing::StartsWith("lo|caf\xC3\xA9")));
  EXPECT_THAT(found, Contains(testing::StartsWith("ether2|two\nlines\x1b[31m|")));
  for (const std::string& keys : found) EXPECT_LE(keys.size(), 300u);
}

TEST(ApiTier, ShapesOfARoundAreShared) {
  TierOnDouble sim(ApiTierOptions::of(ApiPreset::full));
  sim.round();
  const std::vector<Event> a = sim.next_round();
  const std::vector<Event> b = sim.next_round();
  ASSERT_EQ(a.size(), 1u);
  ASSERT_EQ(b.size(), 1u);
  EXPECT_EQ(a[0].shape.get(), b[0].shape.get());
}

TEST(ApiTier, AnAccountThatMayOnlyReadRunsAllMenus) {
  TierOnDouble sim(ApiTierOptions::of(ApiPreset::full), {.presets = {"home", "clients"}});
  ASSERT_TRUE(sim.run("/user/group/add",
                      {{"name", "mikroscope"},
                       {"policy",
                        "read,api,!local,!telnet,!ssh,!ftp,!reboot,!write,!policy,!test,!winbox,!password,"
                        "!web,!sniff,!sensitive,!romon,!rest-api"}})
                  .ok());
  ASSERT_TRUE(sim.run("/user/add", {{"name", "mikroscope"},
                                    {"group", "mikroscope"},
                                    {"password", "sesame"},
                                    {"address", "127.0.0.1/32"}})
                  .ok());
  routeros::ApiTarget target = sim.target();
  target.user = "mikroscope";
  target.password = "sesame";
  std::string said;
  routeros::ApiTier tier(target, ApiTierOptions::of(ApiPreset::full),
                         std::make_shared<const model::Origin>(model::Origin{"router", "", ""}),
                         [&](const std::string& line) { said += line + "\n"; });
  tier.reboot_seen();
  const std::vector<Event> events = tier.round(sim.now_ns, kWall);
  for (const char* measurement : {"api_system", "api_core", "api_health", "api_iface", "api_ifcounters",
                                  "api_ifinfo", "api_conntrack", "api_queue", "api_firewall", "api_ppp",
                                  "api_dhcp", "api_hotspot", "api_wireless", "api_routes", "api_neighbors"})
    EXPECT_NE(with(events, measurement), nullptr) << measurement;
  EXPECT_EQ(said.find("permissions"), std::string::npos) << said;
  EXPECT_EQ(sim.router.requests().writes(), 2u);  // the group and the account
  EXPECT_EQ(tier.counts().failed_commands, 0u);
  EXPECT_TRUE(tier.take_reboot_log());
}

TEST(ApiTier, ARebootIsExplainedByTheLog) {
  TierOnDouble sim(every_second());
  sim.advance(300'000);
  sim.round();
  EXPECT_FALSE(sim.tier->take_reboot_log());
  sim.asked();
  sim.router.reboot();
  sim.router.log("system,error,critical", "router was rebooted without proper shutdown");
  sim.router.log("system,info", "user admin logged in");
  sim.advance(10'000);
  sim.round();       // the session is gone, dialled again; the uptime went back
  sim.next_round();  // the log is read
  EXPECT_EQ(sim.tier->take_reboot_log(),
            (Names{"router rebooted", "router was rebooted without proper shutdown"}));
  EXPECT_FALSE(sim.tier->take_reboot_log());
  sim.asked();
  sim.next_round();
  EXPECT_THAT(sim.asked(), Not(Contains("/log/print")));
}

TEST(ApiTier, PortsOfTheKernelLogGetTheirLabels) {
  TierOnDouble sim(every_second());
  EXPECT_FALSE(sim.tier->find_port("eth1"));
  sim.round();
  const auto port = sim.tier->find_port("eth1");
  ASSERT_TRUE(port);
  EXPECT_EQ(port->interface, "ether2");
  EXPECT_EQ(port->role, "LAN");
  EXPECT_EQ(port->from, "order");
  sim.tier->log_record("eth7", "br0: port 8(eth7) entered disabled state");
  EXPECT_FALSE(sim.tier->find_port("eth1"));
}

TEST(ApiTier, TlsAsTheTargetSays) {
  TierOnDouble sim(every_second());
  routersim::ApiServer tls(sim.router, {.tls = routersim::Tls::certificate});
  ASSERT_EQ(tls.trouble(), "");
  routeros::ApiTarget target = sim.target();
  target.port = tls.port();
  target.security = routeros::ApiSecurity::tls;
  target.fingerprint = tls.tls_fingerprint();
  routeros::ApiTier tier(target, every_second(), std::make_shared<const model::Origin>());
  EXPECT_EQ(number(tier.round(sim.now_ns, kWall), "api_system", {}, "uptime_s"), 60);
}

TEST(ApiTier, ARoundCostsFewMilliseconds) {
  TierOnDouble sim(ApiTierOptions::of(ApiPreset::full), {.presets = {"home", "clients"}});
  sim.round();
  std::int64_t best = INT64_MAX;
  for (int i = 0; i < 20; ++i) {
    sim.next_round();
    best = std::min(best, sim.tier->counts().last_round_ns);
  }
  EXPECT_LT(best, 50'000'000);
  RecordProperty("best_round_us", static_cast<int>(best / 1000));
}

}  // namespace
}  // namespace mikroscope::test
