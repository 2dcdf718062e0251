#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

#include "fake_machine.h"

namespace mikroscope::proc::test {
namespace {

using std::nullopt;

TEST(Self, ReadsItsOwnTimeAndMemory) {
  FakeTree tree;
  const TreeRoots roots(tree.root());
  tree.write("proc/self/statm", "2000 321 100 5 0 50 0\n");
  FakeSampler s(roots.roots(), {"self"});
  s.tick();
  EXPECT_EQ(s.cell("self", "rss"), 321 * sysconf(_SC_PAGESIZE));
  EXPECT_GT(s.cell("self", "cpu_us"), 0);
  for (const char* absent :
       {"cgroup_mem", "cgroup_mem_max", "throttled", "throttled_us", "oom_kill", "wake_ns"}) {
    EXPECT_EQ(s.cell("self", absent), nullopt) << absent;
  }
}

TEST(Self, ControlGroupOfVersion2SeenAsTheTop) {
  FakeTree tree;
  const TreeRoots roots(tree.root());
  tree.write("proc/self/cgroup", "0::/\n");
  tree.write("sys/fs/cgroup/cpu.stat",
             "usage_usec 900\nuser_usec 5\nnr_periods 10\nnr_throttled 3\nthrottled_usec 4500\n");
  tree.write("sys/fs/cgroup/memory.current", "16840384\n");
  tree.write("sys/fs/cgroup/memory.max", "67108864\n");
  tree.write("sys/fs/cgroup/memory.events", "low 0\nhigh 0\nmax 2\noom 1\noom_kill 1\n");
  FakeSampler s(roots.roots(), {"self"});
  s.tick();
  EXPECT_EQ(s.cell("self", "cgroup_mem"), 16840384);
  EXPECT_EQ(s.cell("self", "cgroup_mem_max"), 67108864);
  EXPECT_EQ(s.cell("self", "throttled"), 3);
  EXPECT_EQ(s.cell("self", "throttled_us"), 4500);
  EXPECT_EQ(s.cell("self", "oom_kill"), 1);
  // The limit is looked at once a minute; "max" is none.
  tree.write("sys/fs/cgroup/memory.max", "max\n");
  s.tick(61'000'000'000);
  EXPECT_EQ(s.cell("self", "cgroup_mem_max"), nullopt);
  EXPECT_EQ(s.cell("self", "cgroup_mem"), 16840384);
}

TEST(Self, ControlGroupOfVersion2BelowTheTop) {
  FakeTree tree;
  const TreeRoots roots(tree.root());
  tree.write("proc/self/cgroup", "0::/system.slice/mikroscope.service\n");
  // The machine's own top has no limit and no charge; the service's group has.
  tree.write("sys/fs/cgroup/cpu.stat", "usage_usec 99999999\n");
  tree.write("sys/fs/cgroup/system.slice/mikroscope.service/cpu.stat", "nr_throttled 8\nthrottled_usec 80\n");
  tree.write("sys/fs/cgroup/system.slice/mikroscope.service/memory.current", "1000\n");
  FakeSampler s(roots.roots(), {"self"});
  s.tick();
  EXPECT_EQ(s.cell("self", "throttled"), 8);
  EXPECT_EQ(s.cell("self", "cgroup_mem"), 1000);
  EXPECT_EQ(s.cell("self", "oom_kill"), nullopt);
  bool named = false;
  for (const std::string& path : s.paths()) {
    named = named || path == roots.sys + "/fs/cgroup/system.slice/mikroscope.service/memory.current";
  }
  EXPECT_TRUE(named);
}

TEST(Self, ControlGroupOfVersion1) {
  FakeTree tree;
  const TreeRoots roots(tree.root());
  tree.write("proc/self/cgroup", "4:memory:/box\n2:cpu,cpuacct:/box\n0::/\n");
  tree.write("sys/fs/cgroup/memory/box/memory.usage_in_bytes", "5000\n");
  tree.write("sys/fs/cgroup/memory/box/memory.limit_in_bytes", "9223372036854771712\n");
  tree.write("sys/fs/cgroup/memory/box/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 6\n");
  tree.write("sys/fs/cgroup/cpu/box/cpu.stat", "nr_periods 0\nnr_throttled 1\nthrottled_time 7000000\n");
  FakeSampler s(roots.roots(), {"self"});
  s.tick();
  EXPECT_EQ(s.cell("self", "cgroup_mem"), 5000);
  EXPECT_EQ(s.cell("self", "cgroup_mem_max"), nullopt);
  EXPECT_EQ(s.cell("self", "oom_kill"), 6);
  EXPECT_EQ(s.cell("self", "throttled"), 1);
  EXPECT_EQ(s.cell("self", "throttled_us"), 7000);
}

// In a container without its own view of control groups, the path does not exist below the mount.
TEST(Self, Version1PathOutsideTheMountFallsBackToTheTop) {
  FakeTree tree;
  const TreeRoots roots(tree.root());
  tree.write("proc/self/cgroup", "4:memory:/docker/abc\n");
  tree.write("sys/fs/cgroup/memory/memory.usage_in_bytes", "777\n");
  tree.write("sys/fs/cgroup/memory/memory.limit_in_bytes", "4096000\n");
  FakeSampler s(roots.roots(), {"self"});
  s.tick();
  EXPECT_EQ(s.cell("self", "cgroup_mem"), 777);
  EXPECT_EQ(s.cell("self", "cgroup_mem_max"), 4096000);
}

// The top of version 1 without a limit is the whole machine, not the agent.
TEST(Self, TheWholeMachineIsNotTheAgent) {
  FakeTree tree;
  const TreeRoots roots(tree.root());
  tree.write("proc/self/cgroup", "4:memory:/\n");
  tree.write("sys/fs/cgroup/memory/memory.usage_in_bytes", "999999999\n");
  tree.write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  FakeSampler s(roots.roots(), {"self"});
  s.tick();
  EXPECT_EQ(s.cell("self", "cgroup_mem"), nullopt);
}

}  // namespace
}  // namespace mikroscope::proc::test
