// What the agent's memory says about its router.
#include "cli/agent_health.h"

#include <gtest/gtest.h>

#include "proc/reader/reader.h"
#include "tests/support/fake_agent.h"

namespace mikroscope::cli {
namespace {

using Level = HealthFinding::Level;

std::string log_line(std::string_view interface, std::string_view kind) {
  return "{\"log\":{\"level\":4,\"facility\":0,\"record\":7,\"boot_ns\":5,\"message\":\"m\",\"interface\":"
         "\"" +
         std::string(interface) + "\",\"kind\":\"" + std::string(kind) + "\"}}\n";
}

std::string sample(int seq, std::string_view tables) {
  return "{\"seq\":" + std::to_string(seq) + ",\"boot_ns\":" + std::to_string(seq * 100) +
         "000000,\"wall_ns\":1,\"dt_ns\":100000000" + std::string(tables) + "}\n";
}

HealthEye eye_of(const std::string& text) {
  HealthEye eye;
  proc::NdjsonReader reader;
  reader.feed(text);
  reader.finish();
  while (std::optional<proc::Item> item = reader.next()) eye.take(*item);
  return eye;
}

HealthFinding finding(const HealthEye& eye, std::string_view name, bool kernel_log = true) {
  for (HealthFinding& f : eye.findings(kernel_log)) {
    if (f.name == name) return f;
  }
  ADD_FAILURE() << "no finding " << name;
  return {};
}

std::string repeat(int n, const std::string& text) {
  std::string out;
  for (int i = 0; i < n; ++i) out += text;
  return out;
}

TEST(AgentHealth, ALoopNeedsThreeFramesOnOnePort) {
  const std::string two = repeat(2, log_line("ether3", "own-address")) + log_line("ether4", "own-address");
  EXPECT_EQ(finding(eye_of(two), "layer-2-loop").level, Level::ok);
  const HealthFinding three = finding(eye_of(two + log_line("ether3", "own-address")), "layer-2-loop");
  EXPECT_EQ(three.level, Level::warn);
  EXPECT_EQ(three.evidence, "3 frames on ether3");
  EXPECT_FALSE(three.fix.empty());
}

TEST(AgentHealth, ChurnIsMoreLearningThanForwarding) {
  const std::string settling =
      repeat(5, log_line("ether3", "stp-learning") + log_line("ether3", "stp-forwarding"));
  EXPECT_EQ(finding(eye_of(settling + repeat(2, log_line("ether3", "stp-learning"))), "stp-churn").level,
            Level::ok);
  const HealthFinding churn =
      finding(eye_of(settling + repeat(3, log_line("ether3", "stp-learning"))), "stp-churn");
  EXPECT_EQ(churn.level, Level::warn);
  EXPECT_EQ(churn.evidence, "ether3 began learning 8 times and forwarded after 5");
}

TEST(AgentHealth, ALinkFlapsFromTheSecondTime) {
  EXPECT_EQ(
      finding(eye_of(log_line("ether1", "link-down") + log_line("ether2", "link-down")), "link-flap").level,
      Level::ok);
  const HealthFinding flap = finding(eye_of(repeat(2, log_line("ether1", "link-down"))), "link-flap");
  EXPECT_EQ(flap.level, Level::warn);
  EXPECT_EQ(flap.evidence, "ether1 went down 2 times");
}

TEST(AgentHealth, DropsAreCountedByCpu) {
  const std::string quiet =
      ",\"softnet\":[{\"cpu\":0,\"processed\":9,\"dropped\":0},{\"cpu\":3,\"processed\":9,\"dropped\":0}]";
  const std::string busy =
      ",\"softnet\":[{\"cpu\":0,\"processed\":9,\"dropped\":0},{\"cpu\":3,\"processed\":9,\"dropped\":4}]";
  EXPECT_EQ(finding(eye_of(sample(1, quiet)), "softnet-drops").evidence, "none");
  const HealthEye eye = eye_of(sample(1, quiet) + sample(2, busy) + sample(3, quiet) + sample(4, busy));
  const HealthFinding drops = finding(eye, "softnet-drops");
  EXPECT_EQ(drops.level, Level::warn);
  EXPECT_EQ(drops.evidence, "8 packets on CPU 3");
  EXPECT_EQ(eye.samples(), 4u);
  EXPECT_EQ(eye.span_ns(), 300'000'000);
}

TEST(AgentHealth, WhatWasNotSeenIsNotClaimed) {
  EXPECT_EQ(finding(eye_of(""), "link-flap").level, Level::skip);
  EXPECT_EQ(finding(eye_of(""), "link-flap").evidence, "the agent has no samples yet");
  const HealthEye eye = eye_of(sample(1, ""));
  EXPECT_EQ(finding(eye, "softnet-drops").level, Level::skip);
  for (const std::string_view name : {"layer-2-loop", "stp-churn", "link-flap"}) {
    EXPECT_EQ(finding(eye, name, true).level, Level::ok);
    const HealthFinding blind = finding(eye, name, false);
    EXPECT_EQ(blind.level, Level::skip);
    EXPECT_NE(blind.evidence.find("without privileges"), std::string::npos);
  }
}

TEST(AgentHealth, OfARunningAgent) {
  test::FakeAgent::Script script;
  script.rate_hz = 100;
  script.before[2] = repeat(3, log_line("ether3", "own-address"));
  test::FakeAgent agent(script);
  const auto link = make_direct_link(agent.url(), "");
  base::Result<AgentHealth> health = read_agent_health(*link);
  for (int i = 0; i < 500 && (!health.ok() || health->samples < 3); ++i) health = read_agent_health(*link);
  ASSERT_TRUE(health.ok()) << health.error().what;
  ASSERT_GE(health->samples, 3u);
  EXPECT_TRUE(health->all);
  bool found = false;
  for (const HealthFinding& f : health->findings) {
    if (f.name == "layer-2-loop") found = f.level != Level::ok;
  }
  EXPECT_TRUE(found);
}

}  // namespace
}  // namespace mikroscope::cli
