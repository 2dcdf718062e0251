#include "routeros/deploy/apply.h"

#include <gtest/gtest.h>

#include "tests/routeros/deploy/installing.h"

namespace mikroscope::routeros {
namespace {

using Given = std::vector<std::pair<std::string, std::string>>;

// What else is on a router: objects that look like ours in one way or another.
void add_look_alikes(FakeRouter& router) {
  const std::string tag = default_options().tag();
  router.put("/interface/list/member", {{"list", "LAN"}, {"interface", "bridge"}, {"comment", "defconf"}});
  router.put("/ip/address", {{"address", "192.168.88.1/24"}, {"interface", "bridge"}});
  router.put("/ip/firewall/address-list",
             {{"list", "LANs"}, {"address", "192.168.88.0/24"}, {"comment", tag + " "}});
  router.put("/ip/firewall/nat", {{"chain", "srcnat"}, {"action", "masquerade"}, {"comment", "x" + tag}});
  router.put("/ip/firewall/filter", {{"chain", "forward"}, {"action", "accept"}, {"comment", "established"}});
  router.put("/ip/firewall/filter", {{"chain", "forward"},
                                     {"action", "drop"},
                                     {"comment", "Mikroscope:mikroscope (managed by mikroscope)"}});
  router.put("/ip/firewall/raw",
             {{"chain", "prerouting"}, {"action", "accept"}, {"comment", "mikroscope:mikroscope"}});
  router.put("/container/envs", {{"list", "other-env"}, {"key", "MIKROSCOPE_TAG"}, {"value", tag}});
  router.put("/file", {{"name", "mikroscope.tar.bak"}, {"type", ".bak file"}, {"size", "12"}});
  router.put("/file", {{"name", "skins"}, {"type", "directory"}});
  router.put("/disk", {{"slot", "usb1"}, {"type", "hardware"}});
  router.put("/disk", {{"slot", "tmpfs"}, {"type", "tmpfs"}});
}

const Given kOptionSets[] = {
    {},
    {{"arch", "armv5"}},
    {{"disk", "usb1"}},
    {{"ephemeral", "yes"}},
    {{"ephemeral", "yes"}, {"remote-image", "ghcr.io/some/agent:1.2"}},
    {{"iface-list", "none"}, {"addr-list", "none"}},
    {{"expose", "yes"}, {"lan-address", "192.168.88.1"}},
    {{"expose", "yes"}, {"lan-address", "192.168.88.1"}, {"expose-from", "192.168.88.0/24"}},
    {{"rate", "50"}, {"buffer", "300"}},
    {{"restart-max-count", "0"}, {"start-on-boot", "no"}, {"container-name", "scope"}},
    {{"name", "second"}, {"veth", "veth-second"}, {"subnet", "172.30.11.0/30"}},
    {{"no-token", "yes"}, {"privileged", "no"}, {"memory-max", "32M"}},
};

std::string set_name(const Given& given) {
  std::string out;
  for (const auto& [name, value] : given) out += " " + name + "=" + value;
  return out.empty() ? "defaults" : out;
}

TEST(Apply, InstallsInThePlansOrder) {
  FakeRouter router;
  const Installing run = install_on(router, options_with({}));
  ASSERT_TRUE(run.result.ok()) << run.result.error().what;
  std::vector<std::string> writes;
  for (const std::string& request : router.requests) {
    if (!request.starts_with("print")) writes.push_back(request);
  }
  std::erase(writes, "add /container/envs");
  EXPECT_EQ(writes,
            (std::vector<std::string>{"add /file", "add /interface/veth", "add /ip/address",
                                      "add /interface/list/member", "add /ip/firewall/address-list", "upload",
                                      "add /container", "remove /file", "/container/start"}));
  EXPECT_EQ(container_state_on(router, options_with({})), "running");
}

TEST(Apply, TheMarkerIsTheFirstEntryOfItsList) {
  FakeRouter router;
  ASSERT_TRUE(install_on(router, options_with({})).result.ok());
  const std::vector<Row> entries = router.rows("/container/envs");
  ASSERT_FALSE(entries.empty());
  EXPECT_EQ(entries.front().text("key"), "MIKROSCOPE_TAG");
  EXPECT_EQ(entries.front().text("value"), "mikroscope:mikroscope (managed by mikroscope)");
  EXPECT_EQ(entries.back().text("key"), "TOKEN");
  EXPECT_EQ(entries.back().text("value"), kTestToken);
}

TEST(Apply, UninstallLeavesTheRouterAsItWas) {
  for (const Version version : {Version{7, 9}, Version{7, 19}, Version{7, 20}, Version{7, 22},
                                Version{7, 23, 2}, Version{7, 24, 4}}) {
    for (const Given& given : kOptionSets) {
      const bool named = set_name(given).find("container-name") != std::string::npos;
      if (named && version < Version{7, 19}) continue;
      SCOPED_TRACE(format_version(version) + " " + set_name(given));
      FakeRouter router(version);
      add_look_alikes(router);
      const std::string before = router.exported();
      const Options options = options_with(given);
      const Installing run = install_on(router, options);
      ASSERT_TRUE(run.result.ok()) << run.result.error().what;
      EXPECT_EQ(container_state_on(router, options), "running");
      // What it was made with is not given again: only its name.
      const base::Result<void> removed = uninstall_on(router, options_with({{"name", options.name}}));
      ASSERT_TRUE(removed.ok()) << removed.error().what;
      EXPECT_EQ(router.exported(), before);
    }
  }
}

TEST(Apply, ASecondRunFindsEverythingThere) {
  FakeRouter router;
  ASSERT_TRUE(install_on(router, options_with({})).result.ok());
  const std::string once = router.exported();
  const int writes = router.writes;
  const Installing again = install_on(router, options_with({}));
  ASSERT_TRUE(again.result.ok());
  EXPECT_EQ(router.exported(), once);
  EXPECT_EQ(router.writes, writes);
  for (const Event& event : again.events) EXPECT_EQ(event.kind, EventKind::present) << event.step;
}

// Whatever ends a run, and wherever: install goes on from there, uninstall removes what is there.
enum class End { lost_before, lost_after, stopped, rebooted };

class CutShort : public testing::TestWithParam<End> {};

void cut(FakeRouter& router, End end, int write) {
  if (end == End::lost_before || end == End::rebooted) router.cut_before_write = write;
  if (end == End::lost_after) router.cut_after_write = write + 1;
  if (end == End::stopped) router.stop_at_write = write;
}

void mend(FakeRouter& router, End end) {
  if (end == End::rebooted) router.reboot();
  router.reconnect();
}

TEST_P(CutShort, InstallGoesOn) {
  for (const Given& given : {kOptionSets[0], kOptionSets[3], kOptionSets[6]}) {
    const Options options = options_with(given);
    for (int write = 0;; ++write) {
      SCOPED_TRACE(set_name(given) + ", cut at write " + std::to_string(write));
      FakeRouter router;
      add_look_alikes(router);
      const std::string before = router.exported();
      cut(router, GetParam(), write);
      const bool whole = install_on(router, options).result.ok();
      mend(router, GetParam());
      const Installing resumed = install_on(router, options);
      ASSERT_TRUE(resumed.result.ok()) << resumed.result.error().what;
      EXPECT_EQ(container_state_on(router, options), "running");
      const base::Result<void> removed = uninstall_on(router, default_options());
      ASSERT_TRUE(removed.ok()) << removed.error().what;
      EXPECT_EQ(router.exported(), before);
      if (whole) break;
      ASSERT_LT(write, 100);
    }
  }
}

TEST_P(CutShort, UninstallRemovesWhatIsThere) {
  for (const Given& given : {kOptionSets[0], kOptionSets[3], kOptionSets[6]}) {
    const Options options = options_with(given);
    for (int write = 0;; ++write) {
      SCOPED_TRACE(set_name(given) + ", cut at write " + std::to_string(write));
      FakeRouter router;
      add_look_alikes(router);
      const std::string before = router.exported();
      cut(router, GetParam(), write);
      const bool whole = install_on(router, options).result.ok();
      mend(router, GetParam());
      const base::Result<void> removed = uninstall_on(router, options);
      ASSERT_TRUE(removed.ok()) << removed.error().what;
      EXPECT_EQ(router.exported(), before);
      if (whole) break;
      ASSERT_LT(write, 100);
    }
  }
}

TEST_P(CutShort, UninstallGoesOnToo) {
  const Options options = options_with({{"expose", "yes"}, {"lan-address", "192.168.88.1"}});
  for (int write = 0;; ++write) {
    SCOPED_TRACE("cut at write " + std::to_string(write));
    FakeRouter router;
    add_look_alikes(router);
    const std::string before = router.exported();
    ASSERT_TRUE(install_on(router, options).result.ok());
    cut(router, GetParam(), router.writes + write);
    const bool whole = uninstall_on(router, options).ok();
    mend(router, GetParam());
    const base::Result<void> removed = uninstall_on(router, options);
    ASSERT_TRUE(removed.ok()) << removed.error().what;
    EXPECT_EQ(router.exported(), before);
    if (whole) break;
    ASSERT_LT(write, 100);
  }
}

TEST_P(CutShort, RollbackUndoesExactlyWhatTheRunMade) {
  const Options options = options_with({{"expose", "yes"}, {"lan-address", "192.168.88.1"}});
  for (int write = 0;; ++write) {
    SCOPED_TRACE("cut at write " + std::to_string(write));
    FakeRouter router;
    add_look_alikes(router);
    const std::string before = router.exported();
    cut(router, GetParam(), write);
    Installing run = install_on(router, options);
    const bool whole = run.result.ok();
    mend(router, GetParam());
    Applying applying{{router, router}, run.journal, {}, {}, {}};
    const base::Result<void> undone = roll_back(options, {7, 24, 2}, applying);
    ASSERT_TRUE(undone.ok()) << undone.error().what;
    EXPECT_EQ(router.exported(), before);
    if (whole) break;
    ASSERT_LT(write, 100);
  }
}

INSTANTIATE_TEST_SUITE_P(Everywhere, CutShort,
                         testing::Values(End::lost_before, End::lost_after, End::stopped, End::rebooted));

TEST(Apply, ACtrlCIsAnsweredBetweenTwoSteps) {
  FakeRouter router;
  router.stop_at_write = 2;
  const Installing run = install_on(router, options_with({}));
  ASSERT_FALSE(run.result.ok());
  EXPECT_EQ(run.result.error().exit, base::Exit::interrupted);
  EXPECT_EQ(run.result.error().what, "interrupted before the step \"address\"; 2 of 24 steps are done");
  EXPECT_NE(run.result.error().fix.find("mikroscope install"), std::string::npos);
  EXPECT_EQ(router.writes, 2);
}

TEST(Apply, TwoInstallationsStandSideBySide) {
  FakeRouter router;
  const std::string before = router.exported();
  const Options first = options_with({});
  const Options second =
      options_with({{"name", "second"}, {"veth", "veth-second"}, {"subnet", "172.30.11.0/30"}});
  ASSERT_TRUE(install_on(router, first).result.ok());
  const std::string with_first = router.exported();
  ASSERT_TRUE(install_on(router, second).result.ok());
  ASSERT_TRUE(uninstall_on(router, second).ok());
  EXPECT_EQ(router.exported(), with_first);
  EXPECT_EQ(container_state_on(router, first), "running");
  ASSERT_TRUE(uninstall_on(router, first).ok());
  EXPECT_EQ(router.exported(), before);
}

TEST(Apply, AFailedExtractionIsToldAtOnceWithTheRoutersWords) {
  FakeRouter router;
  router.extraction_fails = true;
  const Installing run = install_on(router, options_with({}));
  ASSERT_FALSE(run.result.ok());
  EXPECT_NE(run.result.error().what.find("no space left on device"), std::string::npos)
      << run.result.error().what;
  EXPECT_NE(run.result.error().fix.find("--disk"), std::string::npos) << run.result.error().fix;
  EXPECT_LT(router.now_ns(), 5 * kSecondNs);
  // The next run clears the broken container away.
  router.extraction_fails = false;
  const Installing again = install_on(router, options_with({}));
  ASSERT_TRUE(again.result.ok()) << again.result.error().what;
  EXPECT_EQ(container_state_on(router, options_with({})), "running");
}

TEST(Apply, ASlowExtractionKeepsItsImage) {
  FakeRouter router;
  router.extraction_ns = 200 * kSecondNs;
  const Installing run = install_on(router, options_with({{"extract-timeout", "30s"}}));
  ASSERT_FALSE(run.result.ok());
  EXPECT_NE(run.result.error().what.find("still \"extracting\" after 30 s"), std::string::npos)
      << run.result.error().what;
  EXPECT_NE(run.result.error().fix.find("--extract-timeout"), std::string::npos);
  bool kept = false;
  for (const Row& file : router.rows("/file")) kept = kept || file.text("name") == "mikroscope.tar";
  EXPECT_TRUE(kept);
  EXPECT_TRUE(install_on(router, options_with({{"extract-timeout", "5m"}})).result.ok());
}

TEST(Apply, AContainerThatDiesIsExplained) {
  FakeRouter router;
  router.dies_at_start = true;
  const Installing run = install_on(router, options_with({}));
  ASSERT_FALSE(run.result.ok());
  EXPECT_NE(run.result.error().what.find("Exec format error"), std::string::npos) << run.result.error().what;
  EXPECT_NE(run.result.error().what.find("power is cut"), std::string::npos) << run.result.error().what;
  EXPECT_NE(run.result.error().fix.find("mikroscope upgrade"), std::string::npos);
}

TEST(Apply, TheAcceptRuleStandsBeforeTheFirstDrop) {
  FakeRouter router;
  router.put("/ip/firewall/filter", {{"chain", "input"}, {"action", "drop"}});
  router.put("/ip/firewall/filter", {{"chain", "forward"}, {"action", "drop"}, {"dynamic", "true"}});
  router.put("/ip/firewall/filter", {{"chain", "forward"}, {"action", "accept"}});
  router.put("/ip/firewall/filter", {{"chain", "forward"}, {"action", "drop"}, {"comment", "theirs"}});
  ASSERT_TRUE(
      install_on(router, options_with({{"expose", "yes"}, {"lan-address", "192.168.88.1"}})).result.ok());
  const std::vector<Row> rules = router.rows("/ip/firewall/filter");
  ASSERT_EQ(rules.size(), 5u);
  EXPECT_EQ(rules[3].text("connection-nat-state"), "dstnat");
  EXPECT_EQ(rules[3].text("in-interface-list"), "LAN");
  EXPECT_EQ(rules[4].text("comment"), "theirs");
}

TEST(Apply, SecretsStayOutOfErrorsAndEvents) {
  for (int write = 0; write < 40; ++write) {
    FakeRouter router;
    router.cut_before_write = write;
    const Installing run = install_on(router, options_with({}));
    for (const Event& event : run.events) EXPECT_EQ(event.text.find(kTestToken), std::string::npos);
    if (run.result.ok()) break;
    EXPECT_EQ(run.result.error().what.find(kTestToken), std::string::npos);
  }
}

}  // namespace
}  // namespace mikroscope::routeros
