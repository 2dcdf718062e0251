#include "routeros/deploy/uninstall.h"

#include <gtest/gtest.h>

#include "tests/routeros/deploy/installing.h"

namespace mikroscope::routeros {
namespace {

TEST(Uninstall, NothingThereIsSuccessWithoutAWrite) {
  FakeRouter router;
  const base::Result<void> removed = uninstall_on(router, default_options());
  EXPECT_TRUE(removed.ok());
  EXPECT_EQ(router.writes, 0);
}

TEST(Uninstall, TheManifestGoesLast) {
  FakeRouter router;
  ASSERT_TRUE(install_on(router, options_with({})).result.ok());
  router.requests.clear();
  ASSERT_TRUE(uninstall_on(router, default_options()).ok());
  std::vector<std::string> removals;
  for (const std::string& request : router.requests) {
    if (request.starts_with("remove") || request.starts_with("/container")) removals.push_back(request);
  }
  ASSERT_GE(removals.size(), 4u);
  EXPECT_EQ(removals.front(), "/container/stop");
  EXPECT_EQ(removals[1], "remove /container");
  // The manifest and then its directory.
  EXPECT_EQ(removals.back(), "remove /file");
  EXPECT_EQ(removals[removals.size() - 2], "remove /file");
  EXPECT_EQ(removals[removals.size() - 3], "remove /interface/veth");
}

TEST(Uninstall, WaitsForAContainerThatIsSlowToStop) {
  FakeRouter router;
  ASSERT_TRUE(install_on(router, options_with({})).result.ok());
  router.stopping_ns = 12 * kSecondNs;
  EXPECT_TRUE(uninstall_on(router, default_options()).ok());
  EXPECT_TRUE(router.rows("/container").empty());
}

TEST(Uninstall, ADirectoryThatTheRouterLeavesIsRemoved) {
  FakeRouter router;
  const std::string before = router.exported();
  ASSERT_TRUE(install_on(router, options_with({})).result.ok());
  router.removes_root_late = true;
  const base::Result<void> removed = uninstall_on(router, default_options());
  ASSERT_TRUE(removed.ok()) << removed.error().what;
  EXPECT_EQ(router.exported(), before);
}

TEST(Uninstall, WhatCannotBeRemovedIsNamedAndTheManifestStays) {
  FakeRouter router;
  ASSERT_TRUE(install_on(router, options_with({})).result.ok());
  router.refused_removals["/ip/address"] = "failure: it is in use";
  const base::Result<void> removed = uninstall_on(router, default_options());
  ASSERT_FALSE(removed.ok());
  EXPECT_EQ(
      removed.error().what,
      "admin@192.0.2.1 (api-ssl): 2 object(s) are left: address address=172.30.10.1/30 interface=veth-mikro; "
      "file mikroscope/mikroscope.manifest.txt; the router said: address address=172.30.10.1/30 "
      "interface=veth-mikro: failure: it is in use");
  router.refused_removals.clear();
  EXPECT_TRUE(uninstall_on(router, default_options()).ok());
}

TEST(Uninstall, AMenuThatCannotBeReadIsNotVerified) {
  FakeRouter router;
  ASSERT_TRUE(install_on(router, options_with({})).result.ok());
  router.refused_menus.insert("/ip/firewall/mangle");
  const base::Result<void> removed = uninstall_on(router, default_options());
  ASSERT_FALSE(removed.ok());
  EXPECT_NE(removed.error().what.find("not verified: /ip/firewall/mangle: not enough permissions (9)"),
            std::string::npos)
      << removed.error().what;
  // Everything else is gone, but the record of it stays.
  EXPECT_TRUE(router.rows("/interface/veth").empty());
  EXPECT_FALSE(router.rows("/file").empty());
}

TEST(Uninstall, SweepsWhatWasMovedByHandAndLeavesWhatWasRenamed) {
  FakeRouter router;
  ASSERT_TRUE(install_on(router, options_with({})).result.ok());
  const std::string tag = default_options().tag();
  for (const Row& member : router.rows("/interface/list/member"))
    ASSERT_TRUE(router.set("/interface/list/member", std::string(member.id()), {{"list", "WAN"}}).ok());
  for (const Row& entry : router.rows("/ip/firewall/address-list"))
    ASSERT_TRUE(
        router.set("/ip/firewall/address-list", std::string(entry.id()), {{"comment", "mine now"}}).ok());
  router.put("/ip/route", {{"dst-address", "198.51.100.0/24"}, {"gateway", "172.30.10.2"}, {"comment", tag}});
  ASSERT_TRUE(uninstall_on(router, default_options()).ok());
  EXPECT_TRUE(router.rows("/interface/list/member").empty());
  EXPECT_TRUE(router.rows("/ip/route").empty());
  ASSERT_EQ(router.rows("/ip/firewall/address-list").size(), 1u);
  EXPECT_EQ(router.rows("/ip/firewall/address-list")[0].text("comment"), "mine now");
}

TEST(Uninstall, WithoutAManifestTheTagsAreEnough) {
  for (const char* disk : {"", "usb1"}) {
    SCOPED_TRACE(disk);
    FakeRouter router;
    router.put("/disk", {{"slot", "usb1"}, {"type", "hardware"}});
    const std::string before = router.exported();
    ASSERT_TRUE(install_on(router, options_with({{"disk", disk}, {"rate", "50"}})).result.ok());
    for (const Row& file : router.rows("/file")) {
      if (!file.text("name").ends_with(".manifest.txt")) continue;
      ASSERT_TRUE(router.remove("/file", std::string(file.id())).ok());
    }
    const Shape shape = read_shape(facts_of(router), default_options());
    EXPECT_TRUE(shape.installed);
    EXPECT_EQ(shape.options.disk, disk);
    EXPECT_EQ(shape.options.agent_setting("RATE_HZ"), "50");
    EXPECT_TRUE(shape.token);
    const base::Result<void> removed = uninstall_on(router, default_options());
    ASSERT_TRUE(removed.ok()) << removed.error().what;
    EXPECT_EQ(router.exported(), before);
  }
}

TEST(Uninstall, WhereValuesAreHiddenTheManifestSaysWhoseTheListIs) {
  FakeRouter router;
  router.hides_values = true;
  router.put("/container/envs", {{"list", "other-env"}, {"key", "MIKROSCOPE_TAG"}, {"value", "x"}});
  const std::string before = router.exported();
  ASSERT_TRUE(install_on(router, options_with({})).result.ok());
  // A second run takes what it cannot see for what it wrote.
  const int writes = router.writes;
  ASSERT_TRUE(install_on(router, options_with({})).result.ok());
  EXPECT_EQ(router.writes, writes);
  ASSERT_TRUE(upgrade_on(router, options_with({}), Reach::reachable).ok());
  const base::Result<void> removed = uninstall_on(router, default_options());
  ASSERT_TRUE(removed.ok()) << removed.error().what;
  EXPECT_EQ(router.exported(), before);
}

TEST(Uninstall, AListWithoutOurMarkerIsNotTouched) {
  FakeRouter router;
  router.put("/container/envs", {{"list", "mikroscope-env"}, {"key", "TOKEN"}, {"value", "theirs"}});
  router.put("/file", {{"name", "mikroscope.tar"}, {"type", ".tar file"}, {"size", "10"}});
  router.put("/file", {{"name", "mikroscope"}, {"type", "directory"}});
  router.put("/file", {{"name", "mikroscope/mikroscope.manifest.txt"},
                       {"type", ".txt file"},
                       {"size", "3"},
                       {"contents", "abc"}});
  const std::string before = router.exported();
  FakeRouter& r = router;
  const base::Result<Remains> remains = find_remains({r, r}, default_options());
  ASSERT_TRUE(remains.ok());
  EXPECT_TRUE(remains->nothing());
  EXPECT_EQ(remains->strangers,
            (std::vector<std::string>{"mikroscope/mikroscope.manifest.txt", "environment list mikroscope-env",
                                      "mikroscope.tar"}));
  ASSERT_TRUE(uninstall_on(router, default_options()).ok());
  EXPECT_EQ(router.exported(), before);
}

TEST(Uninstall, AnEphemeralInstallationAfterAReboot) {
  FakeRouter router;
  router.put("/disk", {{"slot", "tmpfs"}, {"type", "tmpfs"}});
  const std::string before = router.exported();
  ASSERT_TRUE(install_on(router, options_with({{"ephemeral", "yes"}})).result.ok());
  router.reboot();
  EXPECT_EQ(container_state_on(router, default_options()), "stopped");
  const base::Result<void> removed = uninstall_on(router, default_options());
  ASSERT_TRUE(removed.ok()) << removed.error().what;
  EXPECT_EQ(router.exported(), before);
}

}  // namespace
}  // namespace mikroscope::routeros
