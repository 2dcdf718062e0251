// Which version knows which argument, verb and spelling.
#include <gtest/gtest.h>

#include "tests/routersim/test/support.h"
#include "tests/routersim/version.h"

namespace mikroscope::routersim {
namespace {

TEST(Versions, AreOrderedAsReleased) {
  const char* const kOrder[] = {"6.42.9", "7.9",       "7.18",    "7.20", "7.21",  "7.21.2",
                                "7.23.2", "7.24beta1", "7.24rc2", "7.24", "7.24.1"};
  for (std::size_t i = 1; i < std::size(kOrder); ++i)
    EXPECT_LT(parse_ros(kOrder[i - 1]), parse_ros(kOrder[i])) << kOrder[i];
}

struct Known {
  const char* ros;
  const char* argument;
  const char* value;
  bool taken;
};

class ContainerArguments : public testing::TestWithParam<Known> {};

TEST_P(ContainerArguments, AreThoseOfTheVersion) {
  const Known& known = GetParam();
  Fixture sim({.ros = known.ros});
  sim.add("/interface/veth", {{"name", "veth1"}, {"address", "172.30.10.2/30"}, {"gateway", "172.30.10.1"}});
  sim.store("a.tar", "x");
  const std::string refused = sim.refusal(
      "/container/add",
      {{"file", "a.tar"}, {"interface", "veth1"}, {"root-dir", "r"}, {known.argument, known.value}});
  EXPECT_EQ(refused, known.taken ? "" : std::string("unknown parameter ") + known.argument)
      << known.ros << " " << known.argument;
}

INSTANTIATE_TEST_SUITE_P(
    Versions, ContainerArguments,
    testing::Values(
        Known{"7.18", "name", "a", false}, Known{"7.19", "name", "a", true},
        Known{"7.19", "envlist", "e", true}, Known{"7.19", "envlists", "e", false},
        Known{"7.20", "envlist", "e", false}, Known{"7.20", "envlists", "e", true},
        Known{"7.19", "memory-high", "64M", false}, Known{"7.20", "memory-high", "64M", true},
        Known{"7.24", "memory-high", "64M", true}, Known{"7.22", "memory-max", "64M", false},
        Known{"7.23", "memory-max", "64M", true}, Known{"7.20", "auto-restart-interval", "10s", true},
        Known{"7.22", "auto-restart-interval", "10s", true},
        Known{"7.23", "auto-restart-interval", "10s", false}, Known{"7.22", "restart-policy", "no", false},
        Known{"7.23", "restart-policy", "no", true}, Known{"7.20", "mounts", "m", true},
        Known{"7.21", "mounts", "m", false}, Known{"7.21", "mountlists", "m", true},
        Known{"7.21", "tmpfs", "1M@/t", false}, Known{"7.21.2", "tmpfs", "1M@/t", true},
        Known{"7.23", "ignore-remote-image-change", "yes", false},
        Known{"7.23.2", "ignore-remote-image-change", "yes", true},
        Known{"7.24beta1", "ignore-remote-image-change", "yes", false},
        Known{"7.24", "ignore-remote-image-change", "yes", true}, Known{"7.23.2", "privileged", "yes", false},
        Known{"7.24", "privileged", "yes", true}, Known{"7.20", "cpu-list", "1", false},
        Known{"7.21", "cpu-list", "1", true}, Known{"7.24", "no-such-thing", "1", false}));

TEST(Versions, EnvsAreNamedThenListed) {
  Fixture old({.ros = "7.19"});
  EXPECT_EQ(old.add("/container/envs", {{"name", "e"}, {"key", "A"}, {"value", "1"}}), "*1");
  EXPECT_EQ(old.add("/container/envs", {{"list", "e"}, {"key", "B"}, {"value", "1"}}),
            "unknown parameter list");
  Fixture now({.ros = "7.20"});
  EXPECT_EQ(now.add("/container/envs", {{"list", "e"}, {"key", "A"}, {"value", "1"}}), "*1");
  EXPECT_EQ(now.add("/container/envs", {{"name", "e"}, {"key", "B"}, {"value", "1"}}),
            "unknown parameter name");
  EXPECT_EQ(now.add("/container/envs", {{"list", "e"}, {"key", "C"}, {"disabled", "no"}}),
            "unknown parameter disabled");
}

TEST(Versions, MountsChangeTwice) {
  Fixture v19({.ros = "7.19"});
  EXPECT_EQ(v19.add("/container/mounts", {{"name", "m"}, {"src", "/a"}, {"dst", "/b"}}), "*1");
  EXPECT_EQ(v19.refusal("/container/mounts/add",
                        {{"name", "n"}, {"src", "/a"}, {"dst", "/b"}, {"read-only", "yes"}}),
            "unknown parameter read-only");
  Fixture v21({.ros = "7.21"});
  EXPECT_EQ(v21.add("/container/mounts", {{"list", "m"}, {"src", "/a"}, {"dst", "/b"}, {"read-only", "yes"}}),
            "*1");
  Fixture v23({.ros = "7.23"});
  EXPECT_EQ(
      v23.add("/container/mounts", {{"list", "m"}, {"src", "/a"}, {"dst", "/b"}, {"mode", "ro,noexec"}}),
      "*1");
  EXPECT_EQ(v23.add("/container/mounts", {{"list", "m"}, {"src", "/a"}, {"dst", "/b"}, {"mode", "rx"}}),
            "input does not match any value of mode");
}

TEST(Versions, TheStateIsAWordThenFlags) {
  for (const bool words : {true, false}) {
    Fixture sim({.ros = words ? "7.20" : "7.21"});
    sim.add("/interface/veth", {{"name", "veth1"}, {"address", "172.30.10.2/30"}});
    sim.store("a.tar", fake_image(routeros::Arch::arm64));
    ASSERT_EQ(sim.add("/container",
                      {{"file", "a.tar"}, {"interface", "veth1"}, {"root-dir", "r"}, {"dns", "192.0.2.1"}}),
              "*1");
    sim.advance(1000);
    const Row row = sim.print("/container").front();
    EXPECT_EQ(row.text("status"), words ? "stopped" : "");
    EXPECT_EQ(row.text("stopped"), words ? "" : "true");
  }
}

TEST(Versions, VerbsAppearWithTime) {
  EXPECT_EQ(Fixture({.ros = "7.22"}).refusal("/container/restart", {{".id", "*1"}}), "no such command");
  EXPECT_EQ(Fixture({.ros = "7.23"}).refusal("/container/restart", {{".id", "*1"}}), "no such item (4)");
}

TEST(Versions, DatesChangedAt710) {
  Fixture old({.ros = "7.9"});
  Fixture now({.ros = "7.10"});
  EXPECT_EQ(old.print("/system/clock").front().text("date")[3], '/');
  EXPECT_EQ(now.print("/system/clock").front().text("date")[4], '-');
}

TEST(Versions, TheVersionNamesItsChannel) {
  EXPECT_EQ(Fixture({.ros = "7.24.2"}).print("/system/resource").front().text("version"), "7.24.2 (stable)");
  EXPECT_EQ(Fixture({.ros = "7.25rc1"}).print("/system/resource").front().text("version"),
            "7.25rc1 (testing)");
  EXPECT_EQ(Fixture({.ros = "7.24beta1"}).print("/system/resource").front().text("version"),
            "7.24beta1 (development)");
}

}  // namespace
}  // namespace mikroscope::routersim
