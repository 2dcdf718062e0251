#include "cli/forward/agent_reports.h"

#include <gtest/gtest.h>

namespace mikroscope::cli {
namespace {

using model::find_number;

model::OriginPtr origin() {
  return std::make_shared<const model::Origin>(model::Origin{"router", "i", "b"});
}

TEST(AgentReports, TheDeviceIsWhatTheAgentSaysOfIt) {
  const auto event = device_event(origin(), 7, R"({"kernel":"5.6.3","cores":4,"rate_hz":10,
      "limits":{"conntrack_max":966656,"memory_max_bytes":67108864,"cpufreq_max_khz":1400000},
      "sources":{"stat":{"status":"ok","cadence":{"hz":10.0,"reason":"rate"}},
                 "slabinfo":{"status":"ok","privileged":true,"cadence":{"hz":1.0,"reason":"budget"}},
                 "perf":{"status":"forbidden","privileged":true,"cadence":{"hz":10.0,"reason":"rate"}}}})");
  ASSERT_TRUE(event.has_value());
  EXPECT_EQ(event->wall_ns, 7);
  EXPECT_EQ(find_number(*event, "device", {"unknown", "5.6.3"}, "cores"), 4.0);
  EXPECT_EQ(find_number(*event, "device", {}, "conntrack_max"), 966656.0);
  EXPECT_EQ(find_number(*event, "device", {}, "cgroup_mem_max"), 67108864.0);
  EXPECT_EQ(find_number(*event, "device", {}, "cpufreq_max_khz"), 1400000.0);
  EXPECT_EQ(find_number(*event, "device", {}, "memory_total"), std::nullopt) << "absent is not zero";
  EXPECT_EQ(find_number(*event, "device", {}, "privileged"), 1.0);
  EXPECT_EQ(find_number(*event, "device_cadence", {"slabinfo", "budget"}, "hz"), 1.0);
  EXPECT_EQ(find_number(*event, "device_cadence", {"perf", "rate"}, "hz"), std::nullopt) << "not read";
}

TEST(AgentReports, TheSamplerTellsOfItselfAndItsTriggers) {
  const auto event = sampler_event(origin(), 7, R"({"ticks":100,"missed":2,"ring":{"bytes":2057},
      "triggers":{"oom":{"fired":3,"suppressed":1}},"captures":{"held":1,"refused":{"budget":4}}})");
  ASSERT_TRUE(event.has_value());
  EXPECT_EQ(find_number(*event, "sampler", {}, "missed"), 2.0);
  EXPECT_EQ(find_number(*event, "sampler", {}, "ring_bytes"), 2057.0);
  EXPECT_EQ(find_number(*event, "sampler", {}, "slipped"), std::nullopt);
  EXPECT_EQ(find_number(*event, "trigger_count", {"oom"}, "fired"), 3.0);
  EXPECT_EQ(find_number(*event, "capture_refused", {"budget"}, "count"), 4.0);
}

TEST(AgentReports, WhatIsNoReportIsNone) {
  EXPECT_FALSE(device_event(origin(), 7, "not found").has_value());
  EXPECT_FALSE(sampler_event(origin(), 7, "[1,2]").has_value());
}

}  // namespace
}  // namespace mikroscope::cli
