// Menus with state, and what they refuse.
#include <gtest/gtest.h>

#include "tests/routersim/test/support.h"

namespace mikroscope::routersim {
namespace {

TEST(Menus, IdsAreUpperCaseHexAndNeverUsedAgain) {
  Fixture sim;
  std::string last;
  for (int i = 0; i < 12; ++i)
    last = sim.add("/ip/firewall/address-list", {{"list", "l"}, {"address", "192.0.2." + std::to_string(i)}});
  EXPECT_EQ(last, "*C");
  EXPECT_EQ(sim.refusal("/ip/firewall/address-list/remove", {{".id", "*C,*B"}}), "");
  EXPECT_EQ(sim.add("/ip/firewall/address-list", {{"list", "l"}, {"address", "192.0.2.99"}}), "*D");
}

TEST(Menus, RemovingAListTrapsForEachThatIsGone) {
  Fixture sim;
  sim.add("/ip/firewall/address-list", {{"list", "l"}, {"address", "192.0.2.1"}});
  const Outcome outcome = sim.run("/ip/firewall/address-list/remove", {{".id", "*1,*77,*78"}});
  ASSERT_EQ(outcome.traps.size(), 2u);
  EXPECT_EQ(outcome.traps[0].message, "no such item (4)");
  EXPECT_TRUE(sim.print("/ip/firewall/address-list").empty());
}

struct Refused {
  const char* command;
  Attributes attributes;
  const char* text;
};

TEST(Menus, RefuseWithARoutersWords) {
  Fixture sim;
  ASSERT_EQ(sim.refusal("/interface/veth/add", {{"name", "veth1"}, {"address", "172.30.10.2/30"}}), "");
  const Refused kRefused[] = {
      {"/no/such/print", {}, "no such command prefix"},
      {"/interface/fly", {}, "no such command"},
      {"/interface/veth/add",
       {{"name", "veth1"}, {"address", "172.30.11.2/30"}},
       "failure: already have interface with such name"},
      {"/interface/veth/add",
       {{"name", "bridge"}, {"address", "172.30.11.2/30"}},
       "failure: already have interface with such name"},
      {"/interface/veth/add", {{"address", "172.30.11.2/30"}}, "missing value(s) of argument(s) name"},
      {"/interface/veth/add", {{"name", "x"}, {"address", "house"}}, "invalid value for argument address"},
      {"/ip/address/add",
       {{"address", "192.0.2.1/24"}, {"interface", "nowhere"}},
       "input does not match any value of interface"},
      {"/ip/address/add",
       {{"address", "192.168.88.1/24"}, {"interface", "bridge"}},
       "failure: already have such address"},
      {"/ip/address/set", {{".id", "*99"}, {"comment", "x"}}, "no such item (4)"},
      {"/ip/address/add",
       {{"address", "192.0.2.1/24"}, {"interface", "ether2"}, {"colour", "red"}},
       "unknown parameter colour"},
      {"/interface/list/member/add",
       {{"list", "all"}, {"interface", "ether2"}},
       "failure: cannot add to builtin list"},
      {"/interface/list/member/add",
       {{"list", "none-such"}, {"interface", "ether2"}},
       "input does not match any value of list"},
      {"/ip/firewall/filter/add",
       {{"chain", "forward"}, {"action", "fly"}},
       "input does not match any value of action"},
      {"/ip/firewall/filter/add", {{"chain", "forward"}, {"place-before", "*FFF"}}, "no such item"},
      {"/file/add", {{"name", "skins"}, {"contents", "x"}}, "failure: file already exists"},
      {"/file/remove", {{".id", "nothing.txt"}}, "no such item (4)"},
      {"/container/add",
       {{"file", "none.tar"}, {"interface", "veth1"}},
       "failure: file none.tar does not exist"},
      {"/container/add",
       {{"remote-image", "a/b:1"}, {"interface", "bridge"}},
       "input does not match any value of interface"},
      {"/container/add",
       {{"remote-image", "a/b:1"}, {"interface", "veth1"}, {"memory-max", "100"}},
       "value of memory-max is out of range (1048576 .. 18446744073709551615)"},
      {"/system/device-mode/update", {{"container", "yes"}}, "update canceled"},
      {"/user/remove", {{".id", "admin"}}, "failure: cannot remove last user with full rights"},
      {"/ip/service/add", {{"name", "x"}}, "no such command"},
  };
  for (const Refused& refused : kRefused)
    EXPECT_EQ(sim.refusal(refused.command, refused.attributes), refused.text) << refused.command;
}

TEST(Menus, RulesKeepTheirPlaces) {
  Fixture sim({.presets = {"bare"}});
  EXPECT_EQ(sim.add("/ip/firewall/filter", {{"chain", "forward"}, {"action", "drop"}}), "*1");
  EXPECT_EQ(sim.add("/ip/firewall/filter", {{"chain", "forward"}, {"place-before", "*1"}}), "*2");
  EXPECT_EQ(sim.add("/ip/firewall/filter", {{"chain", "forward"}, {"comment", "last"}}), "*3");
  EXPECT_EQ(sim.refusal("/ip/firewall/filter/move", {{"numbers", "*3"}, {"destination", "*2"}}), "");
  std::string order;
  for (const Row& row : sim.print("/ip/firewall/filter")) order += row.text(".id");
  EXPECT_EQ(order, "*3*2*1");
}

TEST(Menus, ConnectedRoutesFollowTheAddressOfAnInterfaceThatRuns) {
  Fixture sim;
  sim.add("/ip/address", {{"address", "192.0.2.1/30"}, {"interface", "ether2"}});
  sim.add("/ip/address", {{"address", "192.0.2.5/30"}, {"interface", "ether4"}});  // no cable
  std::string connected;
  for (const Row& row : sim.print("/ip/route", {"?connect=true"})) connected += row.text("dst-address") + " ";
  EXPECT_EQ(connected, "192.168.88.0/24 198.51.100.0/24 192.0.2.0/30 ");
  const auto uplink = sim.print("/ip/route", {"?dst-address=0.0.0.0/0"});
  ASSERT_EQ(uplink.size(), 1u);
  EXPECT_EQ(uplink[0].text("immediate-gw"), "198.51.100.1%ether1");
  EXPECT_EQ(sim.refusal("/ip/route/remove", {{".id", uplink[0].text(".id")}}),
            "failure: cannot remove dynamic or builtin entry");
}

TEST(Menus, ARemovedListLivesOnAsAnIdInRules) {
  Fixture sim({.presets = {"home", "deleted-list"}});
  EXPECT_EQ(sim.print("/ip/firewall/raw").front().text("in-interface-list").substr(0, 6), "!*2000");
}

TEST(Menus, ARemovedInterfaceLeavesItsAddressInvalid) {
  Fixture sim;
  sim.add("/interface/veth", {{"name", "veth1"}, {"address", "172.30.10.2/30"}});
  sim.add("/ip/address", {{"address", "172.30.10.1/30"}, {"interface", "veth1"}});
  EXPECT_EQ(sim.refusal("/interface/veth/remove", {{".id", "veth1"}}), "");
  const Row left = sim.print("/ip/address", {"?address=172.30.10.1/30"}).at(0);
  EXPECT_EQ(left.text("interface")[0], '*');
  EXPECT_EQ(left.text("invalid"), "true");
}

TEST(Menus, PrintLimitsAndCounts) {
  Fixture sim;
  const Outcome limited = sim.run("/interface/print", {{".proplist", "comment"}}, {"?name=ether4"});
  ASSERT_EQ(limited.rows.size(), 1u);
  EXPECT_TRUE(limited.rows[0].empty());
  EXPECT_EQ(sim.run("/interface/print", {{"count-only", ""}}, {"?type=ether"}).ret, "5");
  EXPECT_EQ(sim.run("/interface/find", {}, {"?name=ether1"}).ret, "*2");
}

TEST(Menus, PoliciesDecide) {
  Fixture sim({.presets = {"home", "policies"}});
  sim.user = *sim.router.login(Via::api, "reader", "password", "192.168.88.10").user;
  EXPECT_EQ(sim.refusal("/ip/address/print"), "");
  EXPECT_EQ(sim.refusal("/ip/address/add", {{"address", "192.0.2.1/30"}, {"interface", "ether2"}}),
            "not enough permissions (9)");
  EXPECT_EQ(sim.refusal("/ip/address/print", {{"file", "x"}}), "not enough permissions (9)");
  EXPECT_FALSE(sim.router.may_upload(sim.user));
  sim.user = *sim.router.login(Via::api, "writer", "password", "192.168.88.10").user;
  EXPECT_EQ(sim.refusal("/ip/address/add", {{"address", "192.0.2.1/30"}, {"interface", "ether2"}}), "");
  EXPECT_EQ(sim.refusal("/user/add", {{"name", "x"}, {"group", "read"}}), "not enough permissions (9)");
  EXPECT_EQ(sim.router.login(Via::ssh, "relay", "password", "192.168.88.10").refusal,
            "not enough permissions (9)");
}

TEST(Menus, AnAccountsAddressAndStateCount) {
  Fixture sim;
  sim.add("/user", {{"name", "far"}, {"group", "full"}, {"password", "p"}, {"address", "198.51.100.0/24"}});
  EXPECT_EQ(sim.router.login(Via::api, "far", "p", "192.168.88.10").refusal,
            "invalid user name or password (6)");
  EXPECT_TRUE(sim.router.login(Via::api, "far", "p", "198.51.100.7").user.has_value());
  sim.run("/user/disable", {{".id", "far"}});
  EXPECT_FALSE(sim.router.login(Via::api, "far", "p", "198.51.100.7").user.has_value());
  EXPECT_TRUE(sim.logged("login failure for user far from 192.168.88.10 via api"));
}

TEST(Menus, AKeyClosesThePasswordOverSsh) {
  Fixture sim;
  EXPECT_TRUE(sim.router.login_none("admin", "192.168.88.10").user.has_value());
  ASSERT_EQ(sim.add("/user/ssh-keys",
                    {{"user", "admin"}, {"key", "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAAA me@there"}}),
            "*1");
  EXPECT_FALSE(sim.router.ssh_password_allowed("admin"));
  EXPECT_FALSE(sim.router.login_none("admin", "192.168.88.10").user.has_value());
  EXPECT_TRUE(
      sim.router.login_key("admin", "AAAAC3NzaC1lZDI1NTE5AAAAIAAA", "192.168.88.10").user.has_value());
  EXPECT_FALSE(
      sim.router.login_key("admin", "AAAAC3NzaC1lZDI1NTE5AAAAIBBB", "192.168.88.10").user.has_value());
}

TEST(Menus, ExportIsTheSameAfterAddAndRemove) {
  Fixture sim({.presets = {"home", "advanced", "lookalike"}});
  const std::string before = sim.router.export_text();
  EXPECT_NE(before.find("address=\"192.168.88.1/24\""), std::string::npos);
  EXPECT_EQ(before.find("198.51.100"), std::string::npos) << "dynamic rows are no configuration";
  const std::string id = sim.add("/ip/firewall/raw", {{"chain", "prerouting"}, {"place-before", "*1"}});
  EXPECT_NE(sim.router.export_text(), before);
  sim.run("/ip/firewall/raw/remove", {{".id", id}});
  EXPECT_EQ(sim.router.export_text(), before);
}

TEST(Menus, WithoutThePackageThereIsNoContainerMenu) {
  EXPECT_EQ(Fixture({.container_package = "absent"}).refusal("/container/print"), "no such command prefix");
  EXPECT_EQ(Fixture({.container_package = "disabled"})
                .print("/system/package", {"?name=container"})
                .at(0)
                .text("disabled"),
            "true");
}

TEST(Menus, DeviceModeForbids) {
  Fixture sim({.device_mode = "scheduler"});
  sim.add("/interface/veth", {{"name", "v"}, {"address", "172.30.10.2/30"}});
  EXPECT_EQ(sim.refusal("/container/add", {{"remote-image", "a/b"}, {"interface", "v"}}),
            "failure: not allowed by device-mode");
  EXPECT_EQ(sim.refusal("/tool/fetch", {{"url", "http://192.0.2.1/"}}),
            "failure: not allowed by device-mode");
  EXPECT_EQ(sim.print("/system/device-mode").at(0).text("container"), "false");
}

TEST(Files, AppearAfterTheLagAndReadBackInChunks) {
  Fixture sim({.timing = {.listing_lag = 500}});
  sim.store("dir/a b.txt", std::string(100, 'z'));
  EXPECT_TRUE(sim.print("/file", {"?name=dir/a_b.txt"}).empty());
  sim.advance(500);
  EXPECT_EQ(sim.print("/file", {"?name=dir/a_b.txt"}).at(0).text("size"), "100");
  EXPECT_EQ(sim.run("/file/read", {{"file", "dir/a_b.txt"}, {"offset", "90"}, {"chunk-size", "32768"}})
                .rows.at(0)
                .text("data")
                .size(),
            10u);
  EXPECT_EQ(sim.refusal("/file/remove", {{".id", "dir"}}), "");
  EXPECT_FALSE(sim.router.read_file("dir/a_b.txt").has_value());
}

TEST(Files, ADiskCanBeFull) {
  Fixture sim({.presets = {"bare"}});
  sim.add("/disk", {{"type", "tmpfs"}, {"slot", "tmpfs"}, {"tmpfs-max-size", "1M"}});
  const auto upload = sim.router.upload("tmpfs/big");
  EXPECT_TRUE(upload->append(std::string(900 << 10, 'x')));
  EXPECT_FALSE(upload->append(std::string(200 << 10, 'x')));
  sim.router.reboot();
  EXPECT_FALSE(sim.router.read_file("tmpfs/big").has_value());
  EXPECT_EQ(sim.print("/disk").at(0).text("slot"), "tmpfs");
}

TEST(RequestLog, CountsAndMasks) {
  Fixture sim;
  sim.router.login(Via::api, "admin", "", "192.168.88.10");
  sim.user.via = Via::api;
  sim.run("/container/envs/add", {{"list", "e"}, {"key", "TOKEN"}, {"value", "sesame"}});
  sim.run("/tool/fetch",
          {{"url", "ftp://"}, {"http-header-field", "Authorization: Bearer sesame"}, {"output", "user"}});
  sim.run("/ip/address/print");
  sim.run("/ip/address/print", {{".proplist", "address"}});
  EXPECT_EQ(sim.router.requests().logins(), 1u);
  EXPECT_EQ(sim.router.requests().writes(), 1u);
  EXPECT_EQ(sim.router.requests().prints_without_proplist(), 1u);
  for (const Logged& entry : sim.router.requests().all())
    EXPECT_EQ(to_json(entry).find("sesame"), std::string::npos) << to_json(entry);
}

TEST(Faults, AreKnownByNameAndCheckTheirArgument) {
  Faults faults;
  EXPECT_EQ(apply_fault(faults, "cut-after-write=3"), std::nullopt);
  EXPECT_EQ(faults.cut_after_write, 3);
  EXPECT_EQ(apply_fault(faults, "cut-after-write"), "fault cut-after-write wants =N, got \"\"");
  EXPECT_EQ(apply_fault(faults, "octet-writes=1"), "fault octet-writes takes no argument, got \"1\"");
  EXPECT_EQ(apply_fault(faults, "rain"), "there is no fault \"rain\"; --help lists them");
}

TEST(Faults, TheNthWriteIsCutBeforeOrAfterItTookEffect) {
  for (const bool after : {false, true}) {
    Fixture sim;
    sim.router.set_fault(after ? "cut-after-write=2" : "cut-before-write=2");
    sim.add("/interface/list", {{"name", "one"}});
    EXPECT_TRUE(sim.run("/interface/list/add", {{"name", "two"}}).cut);
    EXPECT_EQ(sim.print("/interface/list", {"?name=two"}).size(), after ? 1u : 0u);
  }
}

}  // namespace
}  // namespace mikroscope::routersim
