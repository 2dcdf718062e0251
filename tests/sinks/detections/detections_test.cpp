#include <gtest/gtest.h>

#include <set>

#include "tests/sinks/detections/timeline.h"

namespace mikroscope::sinks {
namespace {

using test::Timeline;

std::string conntrack(int active, int limit = 1000) {
  return fmt::format(R"("slab":[{{"cache":"nf_conntrack","active":{},"limit":{}}}])", active, limit);
}
std::string celsius(double c) {
  return fmt::format(R"("thermal":[{{"zone":"cpu","celsius":{:.3f},"critical_celsius":100.000}}])", c);
}

TEST(Detections, EveryRuleIsToldAlsoAtZero) {
  Timeline t;
  t.sample(R"("load":{"load1":0.1})");
  std::set<std::string> names;
  for (const RuleCounts& c : t.detector.counts()) {
    EXPECT_EQ(c.fired, 0U) << c.rule;
    EXPECT_FALSE(c.needs.empty()) << c.rule;
    EXPECT_EQ(c.informational, c.rule == "microburst" || c.rule == "ipc-collapse") << c.rule;
    names.insert(c.rule);
  }
  EXPECT_EQ(names.size(), 14U);
  EXPECT_TRUE(t.counts("reboot").checked);
  EXPECT_FALSE(t.counts("conntrack-high").checked) << "its source is absent";
  model::EventBuilder report(model::EventKind::collector, std::make_shared<const model::Origin>(), 1);
  t.detector.report(report);
  EXPECT_EQ(report.finish().shape->find("detection_count")->rows.size(), 14U);
}

TEST(Detections, CountersThatStartOverAreNamed) {
  Timeline t;
  t.sample(R"("cpu":[{"cpu":0,"user":1}],"odd":[{"table":"cpu","cpu":0,"column":"user","kind":"backward"}])");
  EXPECT_TRUE(t.hits.empty());
  t.sample(R"("cpu":[{"cpu":0,"system":1}],"odd":[{"table":"cpu","cpu":0,"column":"user","kind":"reset"}])");
  ASSERT_EQ(t.of("counter-reset").size(), 1U);
  EXPECT_EQ(t.hits[0].value, 1);
  EXPECT_EQ(t.hits[0].wall_ns, t.wall_ns) << "the sample's own time";
  EXPECT_NE(t.hits[0].message.find("cpu[0].user"), std::string::npos) << t.hits[0].message;
}

TEST(Detections, TheSameIsToldOncePerTenSecondsOfTheMachinesClock) {
  Timeline t;
  for (int i = 0; i < 10; ++i) {
    t.sample(R"("self":{"oom_kill":1})");
    t.wall_ns += 3'600'000'000'000;  // the wall clock steps by an hour each time
  }
  EXPECT_EQ(t.of("agent-oom").size(), 1U);
  EXPECT_EQ(t.counts("agent-oom").suppressed, 9U);
  t.sample(R"("self":{"oom_kill":2})");  // 10 s after the first
  ASSERT_EQ(t.of("agent-oom").size(), 2U);
  EXPECT_EQ(t.of("agent-oom")[1].value, 2);
}

TEST(Detections, ARestartSaysWhatWasBefore) {
  Timeline t;
  t.begin("a", "boot-1");
  for (int i = 0; i < 40; ++i)
    t.sample(
        R"("cpu":[{"cpu":0,"user":100,"nice":0,"system":0,"irq":0,"softirq":0,"steal":0},)"
        R"({"cpu":1,"user":0,"nice":0,"system":0,"irq":0,"softirq":0,"steal":0}],"mem":{"total_kb":2048,"available_kb":512})");
  t.line(R"({"restart":{"instance":"b","previous_instance":"a","reboot":false}})");
  EXPECT_TRUE(t.hits.empty()) << "the first sample tells how long nothing was seen";
  t.begin("b", "boot-1");
  t.seq = 0;
  t.boot_ns += 40'300'000'000;
  t.wall_ns += 40'300'000'000;
  t.sample(R"("load":{"load1":0.1})");
  ASSERT_EQ(t.of("agent-restart").size(), 1U);
  EXPECT_TRUE(t.of("reboot").empty());
  const auto hit = t.of("agent-restart")[0];
  EXPECT_EQ(hit.value, 1);
  EXPECT_EQ(hit.threshold, 40);
  for (const char* part :
       {"CPU 50% busy", "cpu0 100%", "0.5 MiB of 2.0 MiB", "41.3 s without a sample", "did not reboot"})
    EXPECT_NE(hit.message.find(part), std::string::npos) << part << ": " << hit.message;
}

TEST(Detections, OneRebootIsToldOnce) {
  Timeline t;
  t.begin("a", "boot-1");
  t.sample(R"("load":{"load1":0.1})");
  t.line(R"({"restart":{"instance":"b","previous_instance":"a","reboot":true}})");
  t.seq = 0;
  t.boot_ns = 9'000'000'000;
  t.sample(R"("load":{"load1":0.1})");  // the new boot id is not known yet
  t.begin("b", "boot-2");
  for (int i = 0; i < 30; ++i) t.sample(R"("load":{"load1":0.1})");
  ASSERT_EQ(t.of("reboot").size(), 1U);
  EXPECT_EQ(t.of("reboot")[0].value, 10);
  EXPECT_EQ(t.of("reboot")[0].threshold, 1001);
}

TEST(Detections, ARebootBeforeTheCollectorsStartIsSeen) {
  for (const char* boot : {"boot-1", "boot-2"}) {
    Timeline t;
    t.detector.begin({"router", "a", "boot-1"}, 77);
    t.begin("a", boot);
    t.seq = 100;
    t.sample(R"("load":{"load1":0.1})");
    EXPECT_EQ(t.of("reboot").size(), std::string(boot) == "boot-2" ? 1U : 0U);
  }
}

TEST(Detections, ConntrackHighGrowsOrIsFull) {
  const struct {
    int before, now;
    std::size_t fires;
  } kCases[] = {{700, 800, 0}, {700, 801, 1}, {850, 850, 0}, {850, 840, 0}, {950, 950, 1}};
  for (const auto& c : kCases) {
    Timeline t;
    for (int i = 0; i < 3; ++i) t.sample(conntrack(c.before));
    t.sample(conntrack(c.now));
    EXPECT_EQ(t.of("conntrack-high").size(), c.fires) << c.before << " " << c.now;
  }
  // As long as it lasts it is told every five minutes; after it was over, at once.
  Timeline t;
  for (int i = 0; i < 301; ++i) t.sample(conntrack(960));
  EXPECT_EQ(t.of("conntrack-high").size(), 2U);
  for (int i = 0; i < 12; ++i) t.sample(conntrack(700));
  t.sample(conntrack(960));
  EXPECT_EQ(t.of("conntrack-high").size(), 3U);
}

TEST(Detections, ConntrackCliff) {
  const struct {
    int before, now;
    std::size_t fires;
  } kCases[] = {{3, 1, 0}, {255, 1, 0}, {256, 127, 1}, {256, 128, 0}, {900, 449, 1}};
  for (const auto& c : kCases) {
    Timeline t;
    t.sample(conntrack(c.before));
    t.sample(conntrack(c.now));
    ASSERT_EQ(t.of("conntrack-cliff").size(), c.fires) << c.before << " " << c.now;
    if (c.fires == 1) {
      EXPECT_EQ(t.hits[0].threshold, c.before);
    }
  }
  // 100 a second: 900 to 449 takes 4.5 s; 30 a second is no cliff.
  Timeline fast;
  for (int n = 900; n >= 100; n -= 100) fast.sample(conntrack(n));
  EXPECT_EQ(fast.of("conntrack-cliff").size(), 1U);
  Timeline slow;
  for (int n = 900; n >= 600; n -= 15) slow.sample(conntrack(n));
  EXPECT_TRUE(slow.of("conntrack-cliff").empty());
}

TEST(Detections, ThermalHigh) {
  for (const double c : {84.9, 85.0}) {
    Timeline t;
    t.sample(celsius(c));
    EXPECT_EQ(t.of("thermal-high").size(), c >= 85 ? 1U : 0U) << c;
  }
  Timeline without;
  without.sample(R"("thermal":[{"zone":"cpu","celsius":150.000}])");
  EXPECT_TRUE(without.of("thermal-high").empty());
  EXPECT_FALSE(without.counts("thermal-high").checked);
}

TEST(Detections, ThermalRisingNeedsFourClosedMinutes) {
  for (const double step : {1.0, 1.25}) {
    Timeline t;
    for (int minute = 0; minute < 4; ++minute) {
      for (int s = 0; s < 60; ++s) t.sample(celsius(40 + step * minute));
    }
    EXPECT_TRUE(t.hits.empty()) << "the fourth minute is not over";
    t.sample(celsius(44));
    ASSERT_EQ(t.of("thermal-rising").size(), step > 1 ? 1U : 0U);
    if (step > 1) {
      EXPECT_DOUBLE_EQ(t.hits[0].value, 3.75);
      EXPECT_EQ(t.hits[0].threshold, 3);
    }
  }
}

void perf_second(Timeline& t, int cycles, int instructions) {
  t.sample(fmt::format(
      R"("perf":[{{"counter":"cycles","cpu":2,"count":{}}},{{"counter":"instructions","cpu":2,"count":{}}}])",
      cycles, instructions));
}

TEST(Detections, IpcCollapse) {
  const struct {
    int seconds, cycles, instructions;
    std::size_t fires;
  } kCases[] = {
      {20, 1100, 540, 1},  // ipc 0.49 of usually 1, and more cycles than usual
      {20, 1100, 550, 0},  // 0.5 is no collapse
      {20, 1000, 100, 0},  // nothing more to do than usual
      {19, 1100, 540, 0},  // too little to compare with
  };
  for (const auto& c : kCases) {
    Timeline t;
    for (int i = 0; i < c.seconds; ++i) perf_second(t, 1000, 1000);
    perf_second(t, c.cycles, c.instructions);
    perf_second(t, 1000, 1000);  // closes it
    ASSERT_EQ(t.of("ipc-collapse").size(), c.fires) << c.cycles << " " << c.instructions;
    if (c.fires == 1) {
      EXPECT_EQ(t.hits[0].key, "core2");
    }
  }
}

TEST(Detections, MicroburstIsThreeBurstsWithinAMinute) {
  for (const int pause : {1, 29, 31}) {
    Timeline t;
    const auto quiet = [&](int n) {
      for (int i = 0; i < n; ++i)
        t.sample(R"("softnet":[{"cpu":3,"processed":9,"dropped":0,"time_squeeze":0}])");
    };
    quiet(11);
    for (int i = 0; i < 3; ++i) {
      t.sample(R"("softnet":[{"cpu":3,"processed":9,"dropped":1,"time_squeeze":0}])");
      quiet(pause - 1);
    }
    ASSERT_EQ(t.of("microburst").size(), pause == 31 ? 0U : 1U) << pause;
    if (pause != 31) {
      EXPECT_EQ(t.hits[0].key, "cpu3");
    }
  }
}

// Records of the kernel log come before the sample that they came with.
void log_line(Timeline& t, const char* port, const char* kind) {
  model::EventBuilder b(model::EventKind::log, std::make_shared<const model::Origin>(), t.wall_ns);
  static const auto m = std::make_shared<const model::Measurement>(model::Measurement{
      "event",
      {{"kernel_seq", false, false, ""}},
      {{"port", model::Kind::level, model::Type::text, proc::Unit::none, 0, false, "", {}},
       {"kind", model::Kind::level, model::Type::text, proc::Unit::none, 0, false, "", {}}},
      "",
      true});
  b.row(m, {"1"}).text("port", port).text("kind", kind);
  b.head().boot_ns = t.boot_ns;
  t.see(b.finish());
  t.boot_ns += 1'000'000'000;
  t.wall_ns += 1'000'000'000;
}

TEST(Detections, LinkFlapIsTwoLossesOfOnePort) {
  Timeline once;
  for (const char* kind : {"link-down", "link-up", "stp-learning", "stp-forwarding"})
    log_line(once, "ether2", kind);
  log_line(once, "ether3", "link-down");
  EXPECT_TRUE(once.hits.empty()) << "one cable was put elsewhere";
  for (const std::int64_t seconds : {59, 60}) {
    Timeline t;
    log_line(t, "ether2", "link-down");
    t.boot_ns += seconds * 1'000'000'000;
    log_line(t, "ether2", "link-down");
    EXPECT_EQ(t.of("link-flap").size(), seconds == 59 ? 1U : 0U);
  }
}

TEST(Detections, LoopAndChurn) {
  Timeline t;
  for (int i = 0; i < 2; ++i) log_line(t, "ether4", "own-address");
  EXPECT_TRUE(t.hits.empty());
  log_line(t, "ether4", "own-address");
  EXPECT_EQ(t.of("l2-loop").size(), 1U);
  for (int i = 0; i < 3; ++i) {
    log_line(t, "ether5", "stp-learning");
    if (i == 0) log_line(t, "ether5", "stp-forwarding");
  }
  EXPECT_TRUE(t.of("stp-churn").empty()) << "3 - 1";
  log_line(t, "ether5", "stp-learning");
  EXPECT_EQ(t.of("stp-churn").size(), 1U);
}

TEST(Detections, ACoreThatDoesTheNetworkAlone) {
  const struct {
    int softirq0, user0, user1, packets0, packets1;
    std::size_t fires;
  } kCases[] = {
      {80, 15, 10, 9000, 100, 1},  {80, 15, 60, 9000, 100, 0},  // the other one works too
      {30, 65, 10, 9000, 100, 0},                               // a program, not interrupts
      {80, 15, 10, 5000, 4000, 0},                              // packets are spread
      {80, 15, 10, 900, 10, 0},                                 // hardly any packets
      {70, 15, 10, 9000, 100, 0},                               // 85% busy
  };
  for (const auto& c : kCases) {
    Timeline t;
    for (int i = 0; i < 6; ++i)
      t.sample(fmt::format(
          R"("cpu":[{{"cpu":0,"user":{},"nice":0,"system":0,"irq":0,"softirq":{},"steal":0}},{{"cpu":1,"user":{},"nice":0,"system":0,"irq":0,"softirq":0,"steal":0}}],)"
          R"("softnet":[{{"cpu":0,"processed":{},"dropped":0,"time_squeeze":0}},{{"cpu":1,"processed":{},"dropped":0,"time_squeeze":0}}])",
          c.user0, c.softirq0, c.user1, c.packets0, c.packets1));
    ASSERT_EQ(t.of("core-pinned-queue").size(), c.fires) << c.softirq0 << " " << c.packets0;
    if (c.fires == 1) {
      EXPECT_EQ(t.hits[0].key, "cpu0");
      EXPECT_DOUBLE_EQ(t.hits[0].value, 0.95);
    }
  }
}

}  // namespace
}  // namespace mikroscope::sinks
