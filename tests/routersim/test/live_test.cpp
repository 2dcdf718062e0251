// Menus whose values move: what an API tier reads.
#include <gtest/gtest.h>

#include "tests/routersim/test/support.h"

namespace mikroscope::routersim {
namespace {

Row named(const std::vector<Row>& rows, const std::string& name) {
  for (const Row& row : rows) {
    if (row.text("name") == name) return row;
  }
  ADD_FAILURE() << "no row " << name;
  return {};
}

TEST(Live, CountersRiseWithTheClock) {
  Fixture sim;
  const auto read = [&] { return std::stoll(named(sim.print("/interface"), "ether1").text("rx-byte")); };
  const long long before = read();
  sim.advance(10'000);
  EXPECT_EQ(read() - before, 12'000);
}

TEST(Live, PortsCountMoreWithStatsAlone) {
  Fixture sim;
  const Row plain = named(sim.print("/interface/ethernet"), "ether1");
  EXPECT_FALSE(plain.has("rx-overflow"));
  EXPECT_EQ(plain.text("orig-mac-address"), "02:00:5E:00:00:01");
  const Row stats = named(sim.run("/interface/ethernet/print", {{"stats", ""}}).rows, "ether1");
  EXPECT_EQ(stats.text("rx-overflow"), "652364");
  EXPECT_TRUE(stats.has("driver-rx-byte"));
  EXPECT_FALSE(stats.has(".place"));
}

TEST(Live, MonitorTrafficAnswersAllOrNothing) {
  Fixture sim;
  const Outcome both = sim.run("/interface/monitor-traffic", {{"interface", "bridge,ether1"}, {"once", ""}});
  ASSERT_EQ(both.rows.size(), 2u);
  EXPECT_EQ(both.rows[0].text("name"), "bridge");
  EXPECT_TRUE(both.rows[0].has("rx-drops-per-second"));
  EXPECT_FALSE(both.rows[1].has("rx-drops-per-second"));  // ports tell none
  EXPECT_TRUE(both.rows[1].has("tx-queue-drops-per-second"));
  EXPECT_EQ(sim.refusal("/interface/monitor-traffic", {{"interface", "ether1,nowhere"}, {"once", ""}}),
            "input does not match any value of interface");
  EXPECT_EQ(sim.router.set_fault("monitor-trap"), std::nullopt);
  EXPECT_EQ(sim.refusal("/interface/monitor-traffic", {{"interface", "ether1"}, {"once", ""}}),
            "failure: simulated");
}

TEST(Live, CountOnlyIsANumber) {
  Fixture sim({.presets = {"home", "clients"}});
  EXPECT_EQ(sim.run("/ip/firewall/connection/print", {{"count-only", ""}}).ret, "150");
  EXPECT_EQ(sim.run("/ip/dhcp-server/lease/print", {{"count-only", ""}}, {"?status=bound"}).ret, "2");
  sim.advance(3'000);
  EXPECT_EQ(sim.run("/ip/firewall/connection/print", {{"count-only", ""}}).ret, "153");
}

TEST(Live, QueuesCountBothWaysOrOne) {
  Fixture sim({.presets = {"home", "clients"}});
  EXPECT_FALSE(sim.print("/queue/simple").front().has("bytes"));
  EXPECT_EQ(sim.run("/queue/simple/print", {{"stats", ""}}).rows.front().text("dropped"), "3/17");
  EXPECT_EQ(sim.run("/queue/tree/print", {{"stats", ""}}).rows.front().text("dropped"), "20");
}

TEST(Live, ServingMenusAreNotWrittenAndNotExported) {
  Fixture sim({.presets = {"home", "clients"}});
  EXPECT_EQ(sim.refusal("/ppp/active/add", {{"name", "x"}}), "no such command");
  EXPECT_EQ(sim.router.export_text().find("/ppp/active"), std::string::npos);
  EXPECT_EQ(sim.refusal("/interface/wireless/registration-table/print"), "no such command prefix");
  Fixture old({.ros = "7.12"});
  EXPECT_EQ(old.refusal("/interface/wifi/registration-table/print"), "no such command prefix");
}

TEST(Live, ASessionEndsOnceAndOneMenuMayBeForbidden) {
  Fixture sim;
  EXPECT_EQ(sim.router.set_fault("cut-once=/system/resource"), std::nullopt);
  EXPECT_TRUE(sim.run("/system/resource/print").cut);
  EXPECT_FALSE(sim.run("/system/resource/print").cut);
  EXPECT_EQ(sim.router.set_fault("fatal-once=/system/resource"), std::nullopt);
  EXPECT_TRUE(sim.run("/system/resource/print").quit);
  EXPECT_EQ(sim.run("/system/resource/print").rows.size(), 1u);
  EXPECT_EQ(sim.router.set_fault("no-read=/system/resource"), std::nullopt);
  EXPECT_EQ(sim.refusal("/system/resource/print"), "not enough permissions (9)");
}

}  // namespace
}  // namespace mikroscope::routersim
