// Installations on the double with everything going wrong that it can make go wrong.
#include <gtest/gtest.h>

#include "tests/e2e/deploy_on_double.h"

namespace mikroscope::test {
namespace {

routersim::Config home(const std::string& ros = "7.24.2") {
  routersim::Config config;
  config.ros = ros;
  config.presets = {"home", "advanced", "tmpfs", "usb", "lookalike"};
  return config;
}

const Given kSets[] = {
    {},
    {{"expose", "yes"}, {"lan-address", "192.168.88.1"}},
    {{"ephemeral", "yes"}},
    {{"disk", "usb1-part1"}, {"iface-list", "none"}},
};

TEST(DeployDouble, InstallAndUninstallOnEveryVersion) {
  for (const char* ros :
       {"7.9", "7.19", "7.20", "7.21", "7.22", "7.23", "7.23.2", "7.24beta1", "7.24", "7.24.4"}) {
    for (const Given& given : kSets) {
      SCOPED_TRACE(std::string(ros) + (given.empty() ? "" : " " + given[0].first));
      DoubleBench bench(home(ros));
      const std::string before = bench.everything();
      const routeros::Options options = options_of(given);
      const base::Result<void> installed = bench.install(options);
      ASSERT_TRUE(installed.ok()) << installed.error().what;
      EXPECT_TRUE(bench.running(options));
      // A router without ignore-remote-image-change removes the container some time after its image is gone.
      bench.wait_ns(10 * routeros::kSecondNs);
      EXPECT_TRUE(bench.running(options));
      const base::Result<void> removed = bench.uninstall();
      ASSERT_TRUE(removed.ok()) << removed.error().what;
      EXPECT_EQ(bench.everything(), before);
    }
  }
}

TEST(DeployDouble, TenInARow) {
  DoubleBench bench(home());
  const std::string before = bench.everything();
  for (int i = 0; i < 10; ++i) {
    SCOPED_TRACE(i);
    ASSERT_TRUE(bench.install(options_of({})).ok());
    EXPECT_TRUE(bench.running(options_of({})));
    ASSERT_TRUE(bench.uninstall().ok());
    EXPECT_EQ(bench.everything(), before);
  }
}

TEST(DeployDouble, TwoSideBySide) {
  DoubleBench bench(home());
  const std::string before = bench.everything();
  const routeros::Options first = options_of({});
  const routeros::Options second =
      options_of({{"name", "mikroscope-2"}, {"veth", "veth-two"}, {"subnet", "172.30.11.0/30"}});
  ASSERT_TRUE(bench.install(first).ok());
  const std::string with_first = bench.everything();
  ASSERT_TRUE(bench.install(second).ok());
  EXPECT_TRUE(bench.running(first));
  EXPECT_TRUE(bench.running(second));
  ASSERT_TRUE(bench.uninstall("mikroscope-2").ok());
  EXPECT_EQ(bench.everything(), with_first);
  ASSERT_TRUE(bench.uninstall().ok());
  EXPECT_EQ(bench.everything(), before);
}

// Every fault of the registry, with an argument that makes it happen during an installation. Whatever comes
// of the installation, once the fault is over an uninstall leaves nothing.
TEST(DeployDouble, EveryFaultEndsInACleanUninstall) {
  for (const routersim::FaultDef& fault : routersim::all_faults()) {
    std::vector<std::string> arguments{""};
    if (fault.arg == "N") arguments = {"=1", "=4", "=12"};
    if (fault.arg == "MS") arguments = {"=500", "=200000"};
    if (fault.arg == "TEXT")
      arguments = {"=exited with status 255: execvp /mikroscope-agent: Exec format error"};
    if (fault.name == "no-menu") arguments = {"=/container", "=/ip/firewall/mangle", "=/disk"};
    if (fault.arg == "PATH" && fault.name != "no-menu") arguments = {"=/container"};
    if (fault.name == "no-policy") arguments = {"=write", "=test", "=sensitive"};
    // What keeps a connection from being made, or a request from being answered in time, is not about
    // installations: the session's own tests have it.
    const bool before_any = fault.name == "accept-close" || fault.name == "wrong-password" ||
                            fault.name == "http-on-port" || fault.name == "hang-after" ||
                            fault.name == "hang-menu" || fault.name == "reply-delay";
    if (before_any) continue;
    for (const std::string& argument : arguments) {
      const std::string spec = std::string(fault.name) + argument;
      SCOPED_TRACE(spec);
      DoubleBench bench(home());
      const std::string before = bench.everything();
      (void)bench.session();
      ASSERT_EQ(bench.router.set_fault(spec), std::nullopt);
      (void)bench.install(options_of({}));
      bench.router.clear_faults();
      bench.reconnect();
      bench.wait_ns(300 * routeros::kSecondNs);  // also until late listings have come
      const base::Result<void> removed = bench.uninstall();
      ASSERT_TRUE(removed.ok()) << removed.error().what;
      EXPECT_EQ(bench.everything(), before);
    }
  }
}

// The same while it is taken off.
TEST(DeployDouble, EveryFaultDuringAnUninstallLeavesOneThatCanBeRepeated) {
  for (const char* spec :
       {"remove-refused", "keep-root", "tar-stays", "slow-stop=20000", "listing-lag=20000", "fail-write=3",
        "fail-write=9", "print-on-write=2", "octet-writes", "no-menu=/ip/firewall/raw", "reset-in-reply=20",
        "control-octet=25", "huge-length=30"}) {
    SCOPED_TRACE(spec);
    DoubleBench bench(home());
    const std::string before = bench.everything();
    ASSERT_TRUE(bench.install(options_of({})).ok());
    bench.reconnect();
    (void)bench.session();
    ASSERT_EQ(bench.router.set_fault(spec), std::nullopt);
    (void)bench.uninstall();
    bench.router.clear_faults();
    bench.reconnect();
    bench.wait_ns(300 * routeros::kSecondNs);  // also until late listings have come
    const base::Result<void> removed = bench.uninstall();
    ASSERT_TRUE(removed.ok()) << removed.error().what;
    EXPECT_EQ(bench.everything(), before);
  }
}

class DeployCut : public testing::TestWithParam<const char*> {};

// The connection goes, or the router reboots, between every two writes.
TEST_P(DeployCut, GoesOnOrIsRemoved) {
  for (const Given& given : {kSets[1], kSets[2]}) {
    const routeros::Options options = options_of(given);
    for (int write = 1;; ++write) {
      SCOPED_TRACE("write " + std::to_string(write));
      DoubleBench bench(home());
      const std::string before = bench.everything();
      ASSERT_EQ(bench.router.set_fault(std::string(GetParam()) + "=" + std::to_string(write)), std::nullopt);
      const bool whole = bench.install(options).ok();
      bench.router.clear_faults();
      bench.reconnect();
      bench.wait_ns(30 * routeros::kSecondNs);
      if (write % 2 == 0) {
        const base::Result<void> resumed = bench.install(options);
        ASSERT_TRUE(resumed.ok()) << resumed.error().what;
        EXPECT_TRUE(bench.running(options));
      }
      const base::Result<void> removed = bench.uninstall();
      ASSERT_TRUE(removed.ok()) << removed.error().what;
      EXPECT_EQ(bench.everything(), before);
      if (whole && write > 26) break;
      ASSERT_LT(write, 80);
    }
  }
}

TEST_P(DeployCut, IsRolledBack) {
  const routeros::Options options = options_of(kSets[1]);
  for (int write = 1;; ++write) {
    SCOPED_TRACE("write " + std::to_string(write));
    DoubleBench bench(home());
    const std::string before = bench.everything();
    ASSERT_EQ(bench.router.set_fault(std::string(GetParam()) + "=" + std::to_string(write)), std::nullopt);
    routeros::Journal journal;
    const bool whole = bench.install(options, &journal).ok();
    bench.router.clear_faults();
    bench.reconnect();
    bench.wait_ns(30 * routeros::kSecondNs);
    const base::Result<void> undone = bench.roll_back(options, journal);
    ASSERT_TRUE(undone.ok()) << undone.error().what;
    EXPECT_EQ(bench.everything(), before);
    if (whole && write > 26) break;
    ASSERT_LT(write, 80);
  }
}

INSTANTIATE_TEST_SUITE_P(AtEveryWrite, DeployCut,
                         testing::Values("cut-before-write", "cut-after-write", "reboot-at-write",
                                         "fail-write"),
                         [](const testing::TestParamInfo<const char*>& param) {
                           std::string name(param.param);
                           std::erase(name, '-');
                           return name;
                         });

TEST(DeployDouble, AnUpgradeWhoseAgentDoesNotAnswerBringsTheOldOneBack) {
  for (const char* ros : {"7.9", "7.19", "7.22", "7.24.2"}) {
    SCOPED_TRACE(ros);
    DoubleBench bench(home(ros));
    const std::string before = bench.everything();
    const routeros::Options options = options_of({});
    ASSERT_TRUE(bench.install(options).ok());
    const std::string installed = bench.everything();
    const base::Result<routeros::UpgradeResult> failed =
        bench.upgrade(options_of({{"rate", "50"}}), routeros::Reach::silent);
    ASSERT_FALSE(failed.ok());
    EXPECT_NE(failed.error().what.find("the old agent runs again"), std::string::npos) << failed.error().what;
    EXPECT_TRUE(bench.running(options));
    EXPECT_EQ(bench.everything(), installed);
    const base::Result<routeros::UpgradeResult> done =
        bench.upgrade(options_of({{"rate", "50"}}), routeros::Reach::reachable);
    ASSERT_TRUE(done.ok()) << done.error().what;
    EXPECT_TRUE(bench.running(options));
    ASSERT_TRUE(bench.uninstall().ok());
    EXPECT_EQ(bench.everything(), before);
  }
}

TEST(DeployDouble, EveryPrintNamesWhatItWants) {
  DoubleBench bench(home());
  ASSERT_TRUE(bench.install(options_of({})).ok());
  ASSERT_TRUE(bench.upgrade(options_of({}), routeros::Reach::reachable).ok());
  ASSERT_TRUE(bench.uninstall().ok());
  EXPECT_EQ(bench.router.requests().prints_without_proplist(), 0u);
  EXPECT_EQ(bench.router.requests().logins(), 1u);
}

}  // namespace
}  // namespace mikroscope::test
