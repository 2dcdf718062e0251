// Sources that fail, vanish and come back; clocks; memory.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness.h"

namespace mikroscope::agent {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Sampler, OneBadStatIsCountedAndLeavesItsTablesOut) {
  Harness h;
  h.samples(2);
  h.tree.write("proc/stat", "garbage\n");
  h.samples(1);
  h.write_stat(105);
  h.samples(1);
  const auto lines = lines_of(body_of(Client(h).get("/samples?since=2")));
  std::vector<std::string> samples;
  for (const std::string& line : lines) {
    if (line.rfind("{\"seq\"", 0) == 0) samples.push_back(line);
  }
  ASSERT_EQ(samples.size(), 2u);
  EXPECT_THAT(samples[0], Not(HasSubstr("\"cpu\"")));
  EXPECT_THAT(samples[0], HasSubstr("\"mem\""));
  EXPECT_THAT(samples[1], HasSubstr("{\"cpu\":0,\"user\":5,"));
  EXPECT_EQ(h.agent().sampler().fatal_source(), "");
  EXPECT_THAT(body_of(Client(h).get("/sampler")),
              HasSubstr("\"stat\":{\"status\":\"ok\",\"reads\":5,\"failures\":1"));
}

TEST(Sampler, FiftyBadStatsInARowEndTheAgent) {
  Harness h;
  h.samples(1);
  h.tree.write("proc/stat", "garbage\n");
  h.samples(Sampler::kFatalFailures - 1);
  EXPECT_TRUE(h.agent().turn(0));
  h.samples(1);
  EXPECT_EQ(h.agent().sampler().fatal_source(), "stat");
  EXPECT_FALSE(h.agent().turn(0));
  EXPECT_EQ(h.agent().exit_code(), kExitFailed);
}

TEST(Sampler, AnAbsentSourceIsFoundWithinAMinute) {
  Harness h(Env{{"RATE_HZ", "1"}});
  h.tree.remove("proc/net/softnet_stat");
  h.samples(2);
  EXPECT_EQ(body_of(Client(h).get("/samples?last=1")).find("\"softnet\""), std::string::npos);
  h.tree.write("proc/net/softnet_stat",
               "00000010 00000000 00000000 0 0 0 0 0 00000000 00000000 00000000 00000000 00000000\n");
  h.samples(62);
  EXPECT_THAT(body_of(Client(h).get("/samples?last=1")),
              HasSubstr("\"softnet\":[{\"cpu\":0,\"processed\":0,"));
}

TEST(Sampler, WithoutStatTheAgentDoesNotStart) {
  Harness good;
  Tree empty;
  Harness h(Env{{"PROC_ROOT", empty.path()}});
  EXPECT_FALSE(h.started);
  EXPECT_THAT(h.error, HasSubstr("/stat cannot be read (absent)"));
}

TEST(Sampler, OnlyTheSelectedSourcesAreRead) {
  Harness h(Env{{"SOURCES", "stat,loadavg"}});
  h.samples(2);
  const std::string body = body_of(Client(h).get("/samples?last=1"));
  EXPECT_THAT(body, HasSubstr("\"load\""));
  EXPECT_THAT(body, Not(HasSubstr("\"mem\"")));
  EXPECT_THAT(body_of(Client(h).get("/capabilities")), HasSubstr("\"meminfo\":{\"status\":\"off\""));
}

TEST(Memory, WhatDoesNotFitIsRefusedWithTheArithmetic) {
  Harness donor;
  donor.tree.write("sys/fs/cgroup/memory.max", "16777216\n");
  donor.tree.write("sys/devices/system/cpu/possible", "0-1\n");
  Harness h(Env{{"BUFFER_S", "86400"}, {"RATE_HZ", "100"}, {"SYS_ROOT", donor.tree.path() + "/sys"}});
  EXPECT_FALSE(h.started);
  EXPECT_THAT(h.error, HasSubstr("a ring of 100 Hz x 86400 s takes up to "));
  EXPECT_THAT(h.error, HasSubstr("but the limit is 16.0 MiB"));
  EXPECT_THAT(h.error, HasSubstr("lower RATE_HZ, BUFFER_S or CAPTURE_MB"));
  Harness fits(Env{{"SYS_ROOT", donor.tree.path() + "/sys"}});
  EXPECT_TRUE(fits.started) << fits.error;
}

TEST(Memory, TheLeastLimitOnTheCgroupPathCounts) {
  Tree t;
  t.write("proc/self/cgroup", "0::/a/b\n");
  t.write("sys/fs/cgroup/a/memory.max", "5000000\n");
  t.write("sys/fs/cgroup/a/b/memory.max", "max\n");
  char memory[4096] = {};
  char buffer[4096];
  base::Arena arena(memory, sizeof memory);
  proc::Roots roots;
  const std::string proc_root = t.path() + "/proc";
  const std::string sys_root = t.path() + "/sys";
  roots.proc = proc_root;
  roots.sys = sys_root;
  EXPECT_EQ(read_memory_limit(roots, arena, {buffer, sizeof buffer}).bytes, 5000000u);
  t.write("proc/self/cgroup", "4:cpu,memory:/docker/x\n1:name=systemd:/\n");
  t.write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  t.write("sys/fs/cgroup/memory/docker/x/memory.limit_in_bytes", "67108864\n");
  EXPECT_EQ(read_memory_limit(roots, arena, {buffer, sizeof buffer}).bytes, 67108864u);
  t.remove("sys/fs/cgroup/memory/docker");
  EXPECT_EQ(read_memory_limit(roots, arena, {buffer, sizeof buffer}).bytes, 0u);
}

TEST(Facts, CpuLists) {
  EXPECT_EQ(cpu_list_end("0-3,8"), 9u);
  EXPECT_EQ(cpu_list_count("0-3,8"), 5u);
  EXPECT_EQ(cpu_list_count("0"), 1u);
  EXPECT_EQ(cpu_list_end(""), 0u);
  EXPECT_EQ(cpu_list_end("0-999999999999"), 0u);
}

TEST(Subtick, ShipsExtremes) {
  Harness h(Env{{"SUBTICK", "4"}});
  ASSERT_TRUE(h.started) << h.error;
  // The timer does not run here: the parts are the single reading at start and none after, so nothing is
  // invented.
  h.samples(1);
  EXPECT_THAT(body_of(Client(h).get("/samples?last=1")), Not(HasSubstr("\"subtick\"")));
}

TEST(Subtick, LeastMostAndLast) {
  Harness donor;
  Config config;
  config.subtick = 3;
  proc::Roots roots;
  const std::string root = donor.tree.path() + "/proc";
  roots.proc = root;
  roots.sys = root;
  roots.live = false;
  std::vector<char> memory(8 << 20);
  std::vector<char> buffer(64 << 10);
  base::Arena arena(memory.data(), memory.size());
  SubtickReader reader;
  proc::Machine machine;
  machine.possible_cpus = 2;
  ASSERT_TRUE(reader.start(config, roots, arena, {buffer.data(), buffer.size()}, machine));
  const auto at = [&](unsigned user, std::int64_t ms) {
    donor.write_stat(user);
    reader.read(ms * 1000000);
  };
  at(100, 0);
  at(103, 30);
  at(104, 60);
  at(113, 90);
  auto& layout = const_cast<proc::Layout&>(*donor.agent().store().layout);
  proc::State& state = donor.agent().sampler().state();
  reader.flush(layout, state);
  const int table = layout.find("subtick");
  ASSERT_TRUE(state.has_table(static_cast<std::uint32_t>(table)));
  const proc::Table& t = layout.tables[table];
  const auto cell = [&](std::string_view column) {
    return state.values[t.slot(0, static_cast<std::uint32_t>(t.schema->column(column)))];
  };
  EXPECT_EQ(cell("busy_min"), 1u);
  EXPECT_EQ(cell("busy_max"), 9u);
  EXPECT_EQ(cell("busy_last"), 9u);
  EXPECT_EQ(cell("interval_ns"), 30000000u);
}

}  // namespace
}  // namespace mikroscope::agent
