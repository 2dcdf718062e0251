// install, status, record, upgrade and uninstall as a user runs them, against the double as a program, which
// runs the very agent that was installed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <nlohmann/json.hpp>

#include "tests/e2e/double_program.h"

namespace mikroscope::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;

TEST_F(DeployProgram, InstallRecordUninstall) {
  Double router;
  ASSERT_TRUE(router.ready()) << router.complaint();
  const std::string before = router.everything();
  const Exited installed = router.on({"install", "--yes"});
  ASSERT_EQ(installed.code, 0) << installed.out << installed.err;
  EXPECT_THAT(installed.out, HasSubstr("installed: "));
  EXPECT_THAT(installed.out, HasSubstr("leave the router powered for 45 s"));

  const Exited status = router.on({"status", "--json"});
  ASSERT_EQ(status.code, 0) << status.err;
  const Json json = Json::parse(status.out);
  EXPECT_EQ(json["router"]["container"], "running");
  EXPECT_EQ(json["router"]["objects"]["veth"]["there"], 1);
  EXPECT_EQ(json["router"]["leftovers"], Json::array());
  EXPECT_EQ(json["health"]["ok"], true) << status.out;

  const std::string prefix = router.directory / "x";
  const Exited recorded = router.on({"record", "--for", "2s", "--out", prefix, "--json"});
  ASSERT_EQ(recorded.code, 0) << recorded.err;
  EXPECT_EQ(Json::parse(recorded.out)["samples"], 20);
  EXPECT_EQ(Json::parse(recorded.out)["gap_count"], 0);

  const Exited listed = router.on({"uninstall"});
  EXPECT_EQ(listed.code, 0);
  EXPECT_THAT(listed.out, HasSubstr("that uninstall --yes removes"));
  const Exited removed = router.on({"uninstall", "--yes"});
  ASSERT_EQ(removed.code, 0) << removed.out << removed.err;
  EXPECT_THAT(removed.out, HasSubstr("verified: nothing of \"mikroscope\" is left"));
  EXPECT_EQ(router.everything(), before);
}

TEST_F(DeployProgram, OverSshToo) {
  Double router;
  const std::string before = router.everything();
  const Exited installed = router.over_ssh({"install", "--yes"});
  ASSERT_EQ(installed.code, 0) << installed.out << installed.err;
  const Exited upgraded = router.over_ssh({"upgrade", "--yes", "--rate", "20"});
  ASSERT_EQ(upgraded.code, 0) << upgraded.out << upgraded.err;
  EXPECT_EQ(Json::parse(router.over_ssh({"status", "--json"}).out)["health"]["rate_hz"], 20);
  const Exited removed = router.over_ssh({"uninstall", "--yes"});
  ASSERT_EQ(removed.code, 0) << removed.out << removed.err;
  EXPECT_EQ(router.everything(), before);
}

TEST_F(DeployProgram, ReadingVerbsLogInOnceAndWriteNothing) {
  Double router;
  ASSERT_EQ(router.on({"install", "--yes", "--quiet"}).code, 0);
  for (const std::vector<std::string>& verb : {std::vector<std::string>{"doctor"},
                                               {"plan"},
                                               {"status"},
                                               {"uninstall"},
                                               {"install", "--dry-run"},
                                               {"upgrade", "--dry-run"}}) {
    SCOPED_TRACE(verb[0]);
    router.control("forget");
    const Exited exited = router.on(verb);
    EXPECT_EQ(exited.code, 0) << exited.out << exited.err;
    EXPECT_THAT(router.control("counts"), HasSubstr("logins 1\nwrites 0\nprints-without-proplist 0\n"));
  }
}

TEST_F(DeployProgram, TheTokenIsKeptHereAndOnTheRouterAndNowhereElse) {
  Double router;
  const Exited installed = router.on({"install", "--yes"});
  ASSERT_EQ(installed.code, 0) << installed.err;
  const std::string kept = router.directory / "state/mikroscope/tokens/127.0.0.1+mikroscope";
  struct stat info {};
  ASSERT_EQ(::stat(kept.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
  const std::string token = slurp(kept).substr(0, 64);
  EXPECT_EQ(token.find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_THAT(router.control("rows /container/envs"), HasSubstr("value=" + token));
  EXPECT_THAT(installed.out + installed.err, Not(HasSubstr(token)));
  EXPECT_THAT(slurp(router.directory / "requests"), Not(HasSubstr(token)));
  EXPECT_THAT(slurp(router.directory / "requests"), Not(HasSubstr(kPassword)));
  for (const char* verb : {"status", "uninstall", "plan"}) {
    const Exited exited = router.on({verb});
    EXPECT_THAT(exited.out + exited.err, Not(HasSubstr(token))) << verb;
  }
  ASSERT_EQ(router.on({"uninstall", "--yes"}).code, 0);
  EXPECT_NE(::stat(kept.c_str(), &info), 0);
}

TEST_F(DeployProgram, UpgradeKeepsSettingsAndToken) {
  Double router;
  const std::string before = router.everything();
  ASSERT_EQ(router.on({"install", "--yes", "--quiet", "--rate", "20"}).code, 0);
  const std::string token = slurp(router.directory / "state/mikroscope/tokens/127.0.0.1+mikroscope");
  const Exited upgraded = router.on({"upgrade", "--yes", "--buffer", "30"});
  ASSERT_EQ(upgraded.code, 0) << upgraded.out << upgraded.err;
  EXPECT_EQ(slurp(router.directory / "state/mikroscope/tokens/127.0.0.1+mikroscope"), token);
  const Json json = Json::parse(router.on({"status", "--json"}).out);
  EXPECT_EQ(json["router"]["options"]["rate"], "20");
  EXPECT_EQ(json["router"]["options"]["buffer"], "30");
  EXPECT_EQ(json["health"]["rate_hz"], 20);
  const Exited again = router.on({"install", "--yes"});
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_THAT(again.out, HasSubstr("\"mikroscope\" is installed already; nothing to write"));
  const Exited changed = router.on({"install", "--yes", "--rate", "30"});
  EXPECT_EQ(changed.code, 5) << changed.err;
  EXPECT_THAT(changed.err, HasSubstr("mikroscope upgrade"));
  ASSERT_EQ(router.on({"uninstall", "--yes"}).code, 0);
  EXPECT_EQ(router.everything(), before);
}

TEST_F(DeployProgram, AFailedUpgradeLeavesTheOldAgentRunning) {
  Double router;
  ASSERT_EQ(router.on({"install", "--yes", "--quiet"}).code, 0);
  router.control("fault extract-error=download/extract error: no space left on device");
  const Exited failed = router.on({"upgrade", "--yes"});
  EXPECT_EQ(failed.code, 1);
  EXPECT_THAT(failed.err, HasSubstr("no space left on device"));
  EXPECT_THAT(failed.err, HasSubstr("the old agent is as it was"));
  router.control("clear");
  const Json json = Json::parse(router.on({"status", "--json"}).out);
  EXPECT_EQ(json["health"]["ok"], true);
}

TEST_F(DeployProgram, NotConfirmedIsNotWritten) {
  Double router;
  const std::string before = router.everything();
  const Exited exited = router.on({"install"});
  EXPECT_EQ(exited.code, 1);
  EXPECT_THAT(exited.err, HasSubstr("not confirmed; nothing was written"));
  EXPECT_EQ(router.everything(), before);
}

TEST_F(DeployProgram, RollbackUndoesAFailedRun) {
  Double router;
  const std::string before = router.everything();
  router.control("fault start-error=exited with status 1");
  const Exited failed = router.on({"install", "--yes", "--rollback"});
  EXPECT_EQ(failed.code, 1);
  EXPECT_THAT(failed.err, HasSubstr("what this run had made is undone"));
  EXPECT_EQ(router.everything(), before);
}

TEST_F(DeployProgram, AnAgentThatDoesNotRunIsExplained) {
  Double router;
  router.control("fault start-error=exited with status 255: execvp /mikroscope-agent: Exec format error");
  const Exited failed = router.on({"install", "--yes"});
  EXPECT_EQ(failed.code, 1);
  EXPECT_THAT(failed.err, HasSubstr("Exec format error"));
  const Exited status = router.on({"status"});
  EXPECT_EQ(status.code, 0);
  EXPECT_THAT(status.out, HasSubstr("power is cut"));
  EXPECT_THAT(status.out, HasSubstr("mikroscope upgrade"));
  router.control("clear");
  ASSERT_EQ(router.on({"install", "--yes"}).code, 0);
  ASSERT_EQ(router.on({"uninstall", "--yes"}).code, 0);
}

// Behind the firewall rules of MikroTik's guide, as the kernel applies them.
TEST_F(DeployProgram, DirectAndExposedThroughARealFirewall) {
  Double router(Where::namespaces);
  if (!router.ready()) GTEST_SKIP() << "no network namespaces: " << router.complaint();
  const std::string before = router.everything();
  for (const bool expose : {false, true}) {
    std::vector<std::string> install{"install", "--yes"};
    if (expose) install.emplace_back("--expose");
    const Exited installed = router.on(install);
    ASSERT_EQ(installed.code, 0) << installed.out << installed.err;
    EXPECT_THAT(installed.out, HasSubstr(expose ? "installed: the agent answers at http://192.168.88.1:9123"
                                                : "installed: the agent answers at http://172.30.10.2:9123"));
    const Exited recorded = router.on({"record", "--for", "1s", "--out", router.directory / "x", "--force",
                                       "--json", "--transport", expose ? "exposed" : "direct"});
    ASSERT_EQ(recorded.code, 0) << recorded.err;
    EXPECT_EQ(Json::parse(recorded.out)["samples"], 10);
    const Exited removed = router.on({"uninstall", "--yes"});
    ASSERT_EQ(removed.code, 0) << removed.err;
    EXPECT_EQ(router.everything(), before);
  }
  // Outside the lists the rules would drop the agent's answers: refused before anything is written.
  const Exited refused = router.on({"install", "--yes", "--iface-list", "none"});
  EXPECT_EQ(refused.code, 1);
  EXPECT_THAT(refused.out, HasSubstr("fix: --iface-list LAN"));
  EXPECT_EQ(router.everything(), before);
}

TEST(DeployOffline, PlanTouchesNothingAndMasksTheToken) {
  const TempDir directory;
  const Exited listing = run({"plan"});
  ASSERT_EQ(listing.code, 0) << listing.err;
  EXPECT_THAT(listing.out, HasSubstr("nothing has been written yet"));
  EXPECT_THAT(listing.out, HasSubstr("value=\"(secret)\""));
  const Exited script = run({"plan", "--ros", "7.20", "--arch", "arm", "--rsc", directory / "agent.rsc"});
  ASSERT_EQ(script.code, 0) << script.err;
  struct stat info {};
  ASSERT_EQ(::stat((directory / "agent.rsc").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
  EXPECT_THAT(slurp(directory / "agent.rsc"), HasSubstr("key=\"TOKEN\" value="));
  EXPECT_EQ(run({"plan", "--ros", "seven"}).code, 2);
  EXPECT_EQ(run({"plan", "--port", "0"}).code, 2);
  EXPECT_EQ(run({"install"}).code, 2);
}

}  // namespace
}  // namespace mikroscope::test
