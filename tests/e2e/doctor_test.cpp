// doctor against the RouterOS double, as a user runs it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/embedded.h"
#include "tests/support/router_double.h"

namespace mikroscope::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;

using Flags = std::vector<std::string>;
Flags flags(Flags given = {}) {
  return given;
}

#define START_ROUTER(name, ...)          \
  RouterDouble name{flags(__VA_ARGS__)}; \
  if (!name.trouble().empty()) GTEST_SKIP() << name.trouble()

std::string level_of(const Json& report, std::string_view check) {
  for (const Json& one : report.value("checks", Json::array())) {
    if (one["name"] == check) return one["level"];
  }
  return "absent";
}
std::string fix_of(const Json& report, std::string_view check) {
  for (const Json& one : report.value("checks", Json::array())) {
    if (one["name"] == check && one.contains("fix")) return one["fix"];
  }
  return "";
}

Json report(RouterDouble& router, std::vector<std::string> more = {}, const std::string& user = "admin") {
  more.emplace_back("--json");
  const Exited exited = router.run("doctor", more, user);
  Json out = Json::parse(exited.out, nullptr, false);
  EXPECT_TRUE(out.is_object()) << exited.out << exited.err;
  if (!out.is_object()) return Json::object();
  EXPECT_EQ(exited.code, out["missing"] == 0 ? 0 : 1) << exited.err;
  return out;
}

TEST(Doctor, ACleanRouterIsReady) {
  START_ROUTER(router);
  const Exited exited = router.run("doctor");
  EXPECT_EQ(exited.code, 0) << exited.out << exited.err;
  EXPECT_THAT(exited.out, HasSubstr("RouterOS 7.24.2 (stable), arm64 (\"MikroTik\")\n"));
  EXPECT_THAT(exited.out,
              HasSubstr("  ok      the container package is installed and enabled (container 7.24.2)\n"));
  EXPECT_THAT(exited.out, HasSubstr("health: skipped: no agent \"mikroscope\" is installed\n"));
  EXPECT_THAT(exited.out, HasSubstr("every prerequisite is met; nothing was written\n"));
  EXPECT_THAT(exited.out, Not(HasSubstr("MISSING")));
  EXPECT_EQ(router.control("counts"), "logins 1\nwrites 0\nprints-without-proplist 0\n");
}

TEST(Doctor, EachMenuIsReadOnce) {
  START_ROUTER(router);
  ASSERT_EQ(router.run("doctor").code, 0);
  std::map<std::string, int> prints;
  const std::string log = router.control("requests");
  for (std::size_t at = 0; at < log.size();) {
    const std::size_t end = log.find('\n', at);
    const Json one = Json::parse(log.substr(at, end - at), nullptr, false);
    ASSERT_TRUE(one.is_object()) << log.substr(at, end - at);
    if (one.value("verb", "") == "print") ++prints[one.value("menu", "")];
    at = end + 1;
  }
  EXPECT_GT(prints.size(), 20u) << log;
  for (const auto& [menu, count] : prints) EXPECT_EQ(count, 1) << menu;
}

TEST(Doctor, BothTrapsAreFound) {
  START_ROUTER(router, {"--preset", "home,advanced"});
  EXPECT_EQ(level_of(report(router), "firewall"), "ok");
  const Json outside = report(router, {"--iface-list", "none", "--addr-list", "none"});
  EXPECT_EQ(level_of(outside, "firewall"), "missing");
  EXPECT_EQ(fix_of(outside, "firewall"), "--iface-list LAN --addr-list LANs");
  const Json first = report(router, {"--iface-list", "none"});
  EXPECT_EQ(fix_of(first, "firewall"), "--iface-list LAN");
  const Json second = report(router, {"--addr-list", "none"});
  EXPECT_EQ(level_of(second, "firewall"), "missing");
  EXPECT_EQ(fix_of(second, "firewall"), "--addr-list LANs");
}

TEST(Doctor, TrapsBehindAJumpWithALiteralRangeAndWithOtherLists) {
  {
    START_ROUTER(router, {"--preset", "home,advanced-jump"});
    EXPECT_EQ(level_of(report(router), "firewall"), "ok");
    EXPECT_EQ(level_of(report(router, {"--addr-list", "none"}), "firewall"), "missing");
  }
  {
    START_ROUTER(router, {"--preset", "home,advanced-range"});
    const Json json = report(router);
    EXPECT_EQ(level_of(json, "firewall"), "missing");
    EXPECT_THAT(fix_of(json, "firewall"),
                HasSubstr("/ip/firewall/raw/add chain=prerouting src-address=172.30.10.2"));
  }
  START_ROUTER(router, {"--preset", "home,other-lists"});
  const Json json = report(router);
  EXPECT_EQ(level_of(json, "firewall"), "missing");
  EXPECT_EQ(fix_of(json, "firewall"), "--iface-list trusted --addr-list inside");
}

TEST(Doctor, WhatTheFixSaysHelps) {
  START_ROUTER(router, {"--preset", "home,advanced-range"});
  const std::string fix = fix_of(report(router), "firewall");
  // `/menu/add name=value …` as the double's control takes it.
  const std::size_t begin = fix.find("src-address=");
  const std::size_t place = fix.find("place-before=");
  ASSERT_NE(begin, std::string::npos) << fix;
  ASSERT_NE(place, std::string::npos) << fix;
  const std::string id = fix.substr(place, fix.find(' ', place) - place);
  router.control(
      "execute /ip/firewall/raw/add|chain=prerouting|src-address=172.30.10.2|protocol=tcp|src-port=9123|"
      "action=accept|" +
      id);
  EXPECT_EQ(level_of(report(router), "firewall"), "ok") << router.control("rows /ip/firewall/raw");
}

TEST(Doctor, WhatIsTakenOrOverlapsIsMissing) {
  START_ROUTER(router, {"--preset", "home,overlap,foreign-envs,foreign-files,deleted-list"});
  const Json json = report(router);
  EXPECT_EQ(level_of(json, "subnet"), "missing");
  EXPECT_EQ(fix_of(json, "subnet"), "--subnet 172.30.11.0/30");
  EXPECT_EQ(level_of(json, "environment"), "missing");
  EXPECT_EQ(level_of(json, "files"), "missing");
  EXPECT_EQ(level_of(json, "firewall-rules"), "warn");
  EXPECT_EQ(level_of(json, "veth"), "ok");
  const Exited text = router.run("doctor");
  EXPECT_EQ(text.code, 1);
  EXPECT_THAT(text.err, HasSubstr("3 prerequisites are missing; nothing was written"));
  EXPECT_EQ(router.control("counts"), "logins 2\nwrites 0\nprints-without-proplist 0\n");
}

TEST(Doctor, ARouterWithoutContainers) {
  START_ROUTER(router, {"--container-package", "absent", "--device-mode", "fetch"});
  const Json json = report(router);
  EXPECT_EQ(level_of(json, "container-package"), "missing");
  EXPECT_EQ(level_of(json, "device-mode"), "missing");
  EXPECT_THAT(fix_of(json, "device-mode"), HasSubstr("/system/device-mode/update container=yes"));
  EXPECT_EQ(level_of(json, "firewall"), "ok");
  EXPECT_EQ(json["missing"], 2);
}

TEST(Doctor, OlderAndOtherRouters) {
  {
    START_ROUTER(router, {"--ros", "7.19.4"});
    EXPECT_EQ(level_of(report(router), "version"), "warn");
  }
  {
    START_ROUTER(router, {"--ros", "7.20", "--arch", "arm"});
    const Json json = report(router);
    EXPECT_EQ(level_of(json, "version"), "ok");
    EXPECT_EQ(level_of(json, "image"), "ok");
    EXPECT_EQ(level_of(report(router, {"--privileged", "yes"}), "version"), "missing");
  }
  START_ROUTER(router, {"--arch", "mipsbe"});
  EXPECT_EQ(level_of(report(router), "architecture"), "missing");
}

TEST(Doctor, AnAccountWithoutAPolicyIsToldSo) {
  START_ROUTER(router, {"--preset", "home,policies"});
  const Json reader = report(router, {}, "reader");
  EXPECT_EQ(reader["missing"], 0) << reader.dump(1);
  router.control("fault no-policy=sensitive");
  EXPECT_EQ(report(router, {}, "reader")["missing"], 0);
  router.control("clear");
  router.control("fault no-policy=read");
  const Json blind = report(router);
  EXPECT_GT(blind["warnings"], 3) << blind.dump(1);
  for (const Json& one : blind["checks"]) {
    if (one["level"] != "warn") continue;
    EXPECT_THAT(one["evidence"], HasSubstr("not enough permissions")) << one.dump();
  }
}

TEST(Doctor, FactsAreKeptWithoutSecretsAndReadAgain) {
  START_ROUTER(router, {"--preset", "home,advanced,lookalike"});
  TempDir dir;
  const std::string file = dir / "facts.json";
  const Json direct = report(router, {"--save-facts", file});
  const std::string facts = slurp(file);
  EXPECT_THAT(facts, Not(HasSubstr("not-yours")));
  EXPECT_THAT(facts, HasSubstr("other-env"));
  const Exited again = run({"doctor", "--facts", file, "--json"});
  EXPECT_EQ(again.code, 0) << again.err;
  const Json offline = Json::parse(again.out, nullptr, false);
  ASSERT_TRUE(offline.is_object()) << again.out;
  EXPECT_EQ(offline["checks"], direct["checks"]);
  EXPECT_EQ(offline["health"]["skipped"], "no router was asked");
}

TEST(Doctor, ARouterThatHasJustBooted) {
  START_ROUTER(router, {"--fault", "boot=1500"});
  EXPECT_EQ(report(router)["missing"], 0);
}

TEST(Doctor, LooksIntoTheMemoryOfTheInstalledAgent) {
  if (cli::embedded_agent("amd64").empty()) GTEST_SKIP() << "this build carries no amd64 agent";
  START_ROUTER(router, {"--arch", "x86_64", "--run", "loopback", "--preset", "home,advanced"});
  const Exited installed = router.run("install", {"--yes", "--upload", "fetch"});
  ASSERT_EQ(installed.code, 0) << installed.out << installed.err;
  Json json;
  const bool sampled = eventually(10'000, [&] {
    router.control("forget");
    json = report(router);
    return json["health"].value("samples", 0) > 0;
  });
  ASSERT_TRUE(sampled) << json.dump(1);
  EXPECT_EQ(json["missing"], 0) << json.dump(1);
  EXPECT_EQ(level_of(json, "veth"), "ok");
  EXPECT_EQ(level_of(json, "leftovers"), "ok");
  ASSERT_TRUE(json["health"].contains("findings")) << json["health"].dump(1);
  EXPECT_EQ(json["health"]["findings"].size(), 4u);
  EXPECT_EQ(router.control("counts"), "logins 1\nwrites 0\nprints-without-proplist 0\n");
  EXPECT_EQ(router.run("uninstall", {"--yes"}).code, 0);
}

TEST(Doctor, WrongUseIsSaid) {
  const Exited none = run({"doctor"});
  EXPECT_EQ(none.code, 2);
  EXPECT_THAT(none.err, HasSubstr("--router"));
  const Exited bad = run({"doctor", "--router", "a@192.0.2.1", "--rate", "500"});
  EXPECT_EQ(bad.code, 2);
  EXPECT_THAT(bad.err, HasSubstr("1..100"));
  const Exited file = run({"doctor", "--facts", "/nonexistent"});
  EXPECT_EQ(file.code, 1);
}

}  // namespace
}  // namespace mikroscope::test
