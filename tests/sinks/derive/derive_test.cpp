#include "sinks/derive/derive.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "proc/reader/reader.h"
#include "sinks/kernel/kernel_events.h"

namespace mikroscope::sinks {
namespace {

using model::Event;
using model::find_number;

constexpr std::int64_t kWall = 1'789'000'000'000'000'000;

// Feeds samples one by one through the tables of the kernel tier, as the collector does.
class Agent {
 public:
  Event sample(const std::string& tables) {
    boot_ns_ += dt_ns;
    wall_ns += dt_ns;
    ++seq_;
    reader_.feed(fmt::format(R"({{"seq":{},"boot_ns":{},"wall_ns":{},"dt_ns":{},{}}})", seq_, boot_ns_,
                             wall_ns, dt_ns, tables) +
                 "\n");
    std::vector<Event> events;
    while (const auto item = reader_.next()) kernel_.take(*item, wall_ns, events);
    EXPECT_EQ(events.size(), 1U) << tables;
    return events.empty() ? Event{} : events.front();
  }
  void names(std::string_view line) { reader_.feed(std::string(line) + "\n"); }
  std::int64_t dt_ns = 100'000'000;
  std::int64_t wall_ns = kWall;

 private:
  proc::NdjsonReader reader_;
  KernelEvents kernel_{"router"};
  std::int64_t boot_ns_ = 5'000'000'000;
  std::uint64_t seq_ = 0;
};

std::optional<double> derived(const Event& event, std::string_view field) {
  return find_number(event, "derived", {}, field);
}

std::string softnet(int processed, int dropped, int squeeze) {
  return fmt::format(R"("softnet":[{{"cpu":0,"processed":{},"dropped":{},"time_squeeze":{}}}])", processed,
                     dropped, squeeze);
}

TEST(Derive, PressureIsTheWorstOfWhatMemoryTells) {
  const struct {
    const char* vm;
    std::optional<double> level;
  } kCases[] = {
      {R"("oom_kill":1,"allocstall":5,"pswpout":0,"pgscan_direct":9,"pgscan_kswapd":9)", 4},
      {R"("oom_kill":0,"allocstall":1,"pswpout":0,"pgscan_direct":0,"pgscan_kswapd":0)", 3},
      {R"("oom_kill":0,"allocstall":0,"pswpout":1,"pgscan_direct":0,"pgscan_kswapd":0)", 3},
      {R"("oom_kill":0,"allocstall":0,"pswpout":0,"pgscan_direct":1,"pgscan_kswapd":7)", 2},
      {R"("oom_kill":0,"allocstall":0,"pswpout":0,"pgscan_direct":0,"pgscan_kswapd":1)", 1},
      {R"("oom_kill":0,"allocstall":0,"pswpout":0,"pgscan_direct":0,"pgscan_kswapd":0)", 0},
      // A kernel before 4.13, without swap.
      {R"("pgscan_direct":0,"pgscan_kswapd":0)", 0},
      // Nobody knows whether anything was scanned.
      {R"("oom_kill":0,"pgfault":3)", std::nullopt},
  };
  for (const auto& c : kCases) {
    Agent agent;
    EXPECT_EQ(derived(agent.sample(fmt::format(R"("vm":{{{}}})", c.vm)), "mem_pressure"), c.level) << c.vm;
  }
  Agent agent;
  EXPECT_EQ(derived(agent.sample(R"("load":{"load1":0.1})"), "mem_pressure"), std::nullopt);
}

TEST(Derive, RatiosAreOfAllCoresThatTookPackets) {
  Agent agent;
  const Event e = agent.sample(
      R"("softnet":[{"cpu":0,"processed":300,"dropped":0,"time_squeeze":0},{"cpu":1,"processed":100,"dropped":0,"time_squeeze":0}],)"
      R"("perf":[{"counter":"cycles","cpu":0,"count":1000000},{"counter":"cycles","cpu":1,"count":600000},)"
      R"({"counter":"instructions","cpu":0,"count":400000,"enabled_ns":100,"running_ns":50},{"counter":"instructions","cpu":1,"count":0}])");
  // 1 600 000 / 400; 400 000 counted in half of the time are 800 000.
  EXPECT_EQ(derived(e, "cycles_per_packet"), 4000.0);
  EXPECT_EQ(derived(e, "instructions_per_packet"), 2000.0);
  EXPECT_EQ(derived(e, "cache_misses_per_packet"), std::nullopt) << "not counted is not 0";
  EXPECT_EQ(derived(e, "packets_per_irq"), std::nullopt);
  EXPECT_EQ(derived(e, "suspect"), 0.0);
  // A core whose cycles are unknown makes the sum unknown.
  const Event partly = agent.sample(
      R"("softnet":[{"cpu":0,"processed":300,"dropped":0,"time_squeeze":0},{"cpu":1,"processed":100,"dropped":0,"time_squeeze":0}],)"
      R"("perf":[{"counter":"cycles","cpu":0,"count":1000000}])");
  EXPECT_EQ(derived(partly, "cycles_per_packet"), std::nullopt);
  // A core that is switched off is part of neither.
  const Event off = agent.sample(R"("softnet":[{"cpu":0,"processed":200,"dropped":0,"time_squeeze":0}],)"
                                 R"("perf":[{"counter":"cycles","cpu":0,"count":1000000}])");
  EXPECT_EQ(derived(off, "cycles_per_packet"), 5000.0);
  const Event none =
      agent.sample(softnet(0, 0, 0) + R"(,"perf":[{"counter":"cycles","cpu":0,"count":1000000}])");
  EXPECT_EQ(derived(none, "cycles_per_packet"), std::nullopt);
}

TEST(Derive, InterruptsAreThoseOfDevices) {
  Agent agent;
  agent.names(
      R"({"names":{"irq_cpu":[{"irq":"37","name":"switch0","cpu":0},{"irq":"37","name":"switch0","cpu":1},)"
      R"({"irq":"3","name":"arch_timer","cpu":0},{"irq":"IPI0","name":"Rescheduling","cpu":0}]}})");
  const Event e = agent.sample(
      softnet(600, 0, 0) + R"(,"irq_cpu":[{"irq":"37","cpu":0,"count":150},{"irq":"37","cpu":1,"count":50},)"
                           R"({"irq":"3","cpu":0,"count":10},{"irq":"IPI0","cpu":0,"count":90}])");
  EXPECT_EQ(derived(e, "packets_per_irq"), 3.0) << "600 / (150 + 50)";
  const Event polled = agent.sample(softnet(600, 0, 0) + R"(,"irq_cpu":[{"irq":"3","cpu":0,"count":10}])");
  EXPECT_EQ(derived(polled, "packets_per_irq"), std::nullopt);
}

TEST(Derive, AResetMakesASampleSuspectAndItsRatiosUnknown) {
  Agent agent;
  const Event e = agent.sample(softnet(100, 0, 0) +
                               R"(,"perf":[{"counter":"cycles","cpu":0,"count":1000000}],)"
                               R"("odd":[{"table":"softnet","cpu":0,"column":"dropped","kind":"reset"}])");
  EXPECT_EQ(derived(e, "suspect"), 1.0);
  EXPECT_EQ(derived(e, "cycles_per_packet"), std::nullopt);
  const Event wrap = agent.sample(softnet(100, 0, 0) +
                                  R"(,"odd":[{"table":"softnet","cpu":0,"column":"dropped","kind":"wrap"}])");
  EXPECT_EQ(derived(wrap, "suspect"), 0.0) << "a counter that wrapped has its right value";
}

TEST(Derive, ABurstNeedsTenSamplesToCompareWith) {
  Agent agent;
  for (int i = 0; i < 10; ++i)
    EXPECT_EQ(derived(agent.sample(softnet(100, 5, 9)), "burst"), std::nullopt) << "sample " << i;
  EXPECT_EQ(derived(agent.sample(softnet(100, 1, 0)), "burst"), 1.0);
}

TEST(Derive, ABurstIsDropsOrSqueezesWithoutMorePackets) {
  const struct {
    int processed, dropped, squeeze;
    double burst;
  } kCases[] = {
      {100, 1, 0, 1},                  // drops at the median
      {101, 1, 0, 0},                  // more packets than usual: that is load
      {100, 0, 3, 1}, {100, 0, 2, 0},  // the floor
      {101, 0, 9, 0}, {0, 0, 3, 1},
  };
  for (const auto& c : kCases) {
    Agent agent;
    for (int i = 0; i < 20; ++i) agent.sample(softnet(100, 0, 0));
    EXPECT_EQ(derived(agent.sample(softnet(c.processed, c.dropped, c.squeeze)), "burst"), c.burst)
        << c.processed << " " << c.dropped << " " << c.squeeze;
  }
  // 3 of 20 samples squeezed 4 times: the 90th percentile (index 18 of 0..19) is 4, and 4 is not more.
  for (const int squeeze : {4, 5}) {
    Agent agent;
    for (int i = 0; i < 20; ++i) agent.sample(softnet(100, 0, i < 3 ? 4 : 0));
    EXPECT_EQ(derived(agent.sample(softnet(100, 0, squeeze)), "burst"), squeeze == 5 ? 1.0 : 0.0) << squeeze;
  }
}

TEST(Derive, WindowsAreOfTheMachinesClockAtAnyRate) {
  for (const std::int64_t hz : {10, 50, 100}) {
    Agent agent;
    agent.dt_ns = 1'000'000'000 / hz;
    // Busy for 10 s; then quiet for as long: the busy time is out of the window, whatever the wall clock
    // says.
    for (std::int64_t i = 0; i < hz * 10; ++i) agent.sample(softnet(1000, 0, 0));
    agent.wall_ns -= 3'600'000'000'000;
    for (std::int64_t i = 0; i < hz * 11; ++i) agent.sample(softnet(10, 0, 0));
    EXPECT_EQ(derived(agent.sample(softnet(500, 1, 0)), "burst"), 0.0) << hz;
    EXPECT_EQ(derived(agent.sample(softnet(10, 1, 0)), "burst"), 1.0) << hz;
  }
}

}  // namespace
}  // namespace mikroscope::sinks
