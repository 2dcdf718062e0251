#include "routeros/deploy/upgrade.h"

#include <gtest/gtest.h>

#include "tests/routeros/deploy/installing.h"

namespace mikroscope::routeros {
namespace {

Row only_container(FakeRouter& router) {
  const std::vector<Row> rows = router.rows("/container");
  EXPECT_EQ(rows.size(), 1u);
  return rows.empty() ? Row() : rows.front();
}

std::string value_of(FakeRouter& router, const std::string& list, const std::string& key) {
  for (const Row& row : router.rows("/container/envs")) {
    if (env_list_of(row) == list && row.text("key") == key) return std::string(row.text("value"));
  }
  return "";
}

TEST(Upgrade, ChangesPlacesAndLeavesNothingOfTheOldOne) {
  FakeRouter router;
  const std::string before = router.exported();
  const Options options = options_with({{"rate", "20"}});
  ASSERT_TRUE(install_on(router, options).result.ok());
  const base::Result<UpgradeResult> done =
      upgrade_on(router, options_with({{"rate", "50"}}), Reach::reachable);
  ASSERT_TRUE(done.ok()) << done.error().what;
  EXPECT_TRUE(done->beside);
  const Row container = only_container(router);
  EXPECT_TRUE(container.flag("running"));
  EXPECT_EQ(container.text("root-dir"), "/mikroscope/_mikroscope");
  EXPECT_EQ(container.text("envlists"), "_mikroscope-env");
  EXPECT_EQ(container.text("start-on-boot"), "yes");
  EXPECT_EQ(container.text("restart-policy"), "on-failure");
  EXPECT_EQ(value_of(router, "_mikroscope-env", "RATE_HZ"), "50");
  EXPECT_EQ(value_of(router, "_mikroscope-env", "TOKEN"), kTestToken);
  EXPECT_EQ(value_of(router, "mikroscope-env", "RATE_HZ"), "");
  const Shape shape = read_shape(facts_of(router), default_options());
  EXPECT_EQ(shape.slot, Slot::b);
  EXPECT_EQ(shape.options.agent_setting("RATE_HZ"), "50");
  ASSERT_TRUE(uninstall_on(router, default_options()).ok());
  EXPECT_EQ(router.exported(), before);
}

TEST(Upgrade, TheNextOneGoesBackToTheFirstPlace) {
  FakeRouter router;
  ASSERT_TRUE(install_on(router, options_with({})).result.ok());
  const std::string once = router.exported();
  ASSERT_TRUE(upgrade_on(router, options_with({}), Reach::reachable).ok());
  ASSERT_TRUE(upgrade_on(router, options_with({}), Reach::from_router_only).ok());
  EXPECT_EQ(only_container(router).text("root-dir"), "/mikroscope/mikroscope");
  // The same but for the order in which things were written.
  EXPECT_EQ(router.exported().size(), once.size());
}

TEST(Upgrade, TheOldOneComesBackWhenTheNewOneDoesNotAnswer) {
  for (const Version version : {Version{7, 9}, Version{7, 19}, Version{7, 22}, Version{7, 24}}) {
    SCOPED_TRACE(format_version(version));
    FakeRouter router(version);
    ASSERT_TRUE(install_on(router, options_with({})).result.ok());
    const std::string once = router.exported();
    const base::Result<UpgradeResult> done =
        upgrade_on(router, options_with({{"rate", "50"}}), Reach::silent);
    ASSERT_FALSE(done.ok());
    EXPECT_NE(done.error().what.find("the old agent runs again"), std::string::npos) << done.error().what;
    EXPECT_EQ(router.exported(), once);
  }
}

TEST(Upgrade, TheOldOneComesBackWhenTheNewOneDoesNotStart) {
  FakeRouter router;
  ASSERT_TRUE(install_on(router, options_with({})).result.ok());
  router.dies_at_start = true;
  const std::string once = router.exported();
  const base::Result<UpgradeResult> done = upgrade_on(router, options_with({}), Reach::reachable);
  ASSERT_FALSE(done.ok());
  // Here the old one would die too: the failure of the way back is said.
  EXPECT_NE(done.error().what.find("could not be started again"), std::string::npos) << done.error().what;
  router.dies_at_start = false;
  ASSERT_TRUE(upgrade_on(router, options_with({}), Reach::reachable).ok());
  EXPECT_TRUE(only_container(router).flag("running"));
}

TEST(Upgrade, AFailedExtractionDoesNotTouchTheOldOne) {
  FakeRouter router;
  ASSERT_TRUE(install_on(router, options_with({})).result.ok());
  router.extraction_fails = true;
  const base::Result<UpgradeResult> done = upgrade_on(router, options_with({}), Reach::reachable);
  ASSERT_FALSE(done.ok());
  EXPECT_NE(done.error().what.find("the old agent is as it was"), std::string::npos) << done.error().what;
  int running = 0;
  for (const Row& row : router.rows("/container")) running += row.flag("running") ? 1 : 0;
  EXPECT_EQ(running, 1);
  router.extraction_fails = false;
  ASSERT_TRUE(upgrade_on(router, options_with({}), Reach::reachable).ok());
  EXPECT_TRUE(only_container(router).flag("running"));
}

TEST(Upgrade, ARouterThatWantsTheOldOneGoneFirst) {
  FakeRouter router;
  const std::string before = router.exported();
  ASSERT_TRUE(install_on(router, options_with({})).result.ok());
  router.refuses_second_container = true;
  const base::Result<UpgradeResult> done = upgrade_on(router, options_with({}), Reach::reachable);
  ASSERT_TRUE(done.ok()) << done.error().what;
  EXPECT_FALSE(done->beside);
  EXPECT_TRUE(only_container(router).flag("running"));
  ASSERT_TRUE(uninstall_on(router, default_options()).ok());
  EXPECT_EQ(router.exported(), before);
}

TEST(Upgrade, CutShortAnywhereItIsGoneOnWithOrRemoved) {
  for (const bool reboot : {false, true}) {
    int without = 0;
    for (int write = 0;; ++write) {
      SCOPED_TRACE("cut at write " + std::to_string(write) + (reboot ? ", reboot" : ""));
      FakeRouter router;
      const std::string before = router.exported();
      ASSERT_TRUE(install_on(router, options_with({})).result.ok());
      router.cut_before_write = router.writes + write;
      const bool whole = upgrade_on(router, options_with({}), Reach::reachable).ok();
      router.reconnect();
      if (reboot) {
        router.reboot();
        int running = 0;
        for (const Row& row : router.rows("/container")) running += row.flag("running") ? 1 : 0;
        EXPECT_LE(running, 1) << "two start with the router";
        without += running == 0 ? 1 : 0;
      }
      const base::Result<UpgradeResult> resumed = upgrade_on(router, options_with({}), Reach::reachable);
      ASSERT_TRUE(resumed.ok()) << resumed.error().what;
      EXPECT_TRUE(only_container(router).flag("running"));

      FakeRouter second;
      ASSERT_TRUE(install_on(second, options_with({})).result.ok());
      second.cut_before_write = second.writes + write;
      (void)upgrade_on(second, options_with({}), Reach::reachable);
      second.reconnect();
      if (reboot) second.reboot();
      const base::Result<void> removed = uninstall_on(second, default_options());
      ASSERT_TRUE(removed.ok()) << removed.error().what;
      EXPECT_EQ(second.exported(), before);
      if (whole) break;
      ASSERT_LT(write, 100);
    }
    // Only in the instant between the two changes of start-on-boot.
    EXPECT_EQ(without, reboot ? 1 : 0);
  }
}

TEST(Upgrade, TheListingNamesWhatIsKeptAndTheWayBack) {
  FakeRouter router;
  ASSERT_TRUE(install_on(router, options_with({})).result.ok());
  const Options options = options_with({});
  const Facts facts = facts_of(router);
  const Occupied occupied = find_occupied(facts, options, Slot::a);
  const base::Result<Plan> plan = make_upgrade_plan(facts, options, image_of(options), occupied);
  ASSERT_TRUE(plan.ok());
  const std::string text = upgrade_listing(*plan, decide(*plan, facts), occupied, "home");
  EXPECT_NE(text.find("keeps:\n    veth, address, interface-list, address-list, token, all settings"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("root-dir=\"mikroscope/_mikroscope\""), std::string::npos) << text;
  EXPECT_NE(text.find("back to the old one"), std::string::npos);
  EXPECT_EQ(text.find(kTestToken), std::string::npos);
}

}  // namespace
}  // namespace mikroscope::routeros
