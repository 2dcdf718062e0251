// Counters of perf_event_open. Hardware counters are rarely to be had in a test machine, so groups are tested
// with the kernel's software events, which go through the same calls.
#include <gtest/gtest.h>
#include <linux/perf_event.h>

#include <string>

#include "base/clock.h"
#include "fake_machine.h"
#include "proc/sources/perf_counters.h"

namespace mikroscope::proc::test {
namespace {

constexpr PerfEvent kSoftware[] = {
    {"clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, ""},
    {"nothing", PERF_TYPE_SOFTWARE, 9999, ""},  // opens nowhere
    {"switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, ""},
    {"faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, ""},
};

TEST(PerfCounters, OneGroupGivesEachEventItsOwnValue) {
  PerfCounters counters;
  if (const int error = counters.open(0, kSoftware); error != 0) {
    GTEST_SKIP() << "perf_event_open is refused here: " << strerror(error);
  }
  PerfReading first[4];
  PerfReading second[4];
  ASSERT_TRUE(counters.read(first));
  const std::int64_t until = base::monotonic_ns() + 2'000'000;
  while (base::monotonic_ns() < until) {
  }
  ASSERT_TRUE(counters.read(second));
  EXPECT_TRUE(second[0].present);
  EXPECT_FALSE(second[1].present);  // never opened: absent, not zero
  EXPECT_TRUE(second[2].present);
  EXPECT_TRUE(second[3].present);
  // One group: all members have the very same times, and the clock counts about what was enabled.
  EXPECT_EQ(second[0].enabled_ns, second[2].enabled_ns);
  EXPECT_EQ(second[0].running_ns, second[3].running_ns);
  EXPECT_GE(second[0].enabled_ns - first[0].enabled_ns, 1'900'000U);
  EXPECT_GE(second[0].count, first[0].count + 1'000'000U);
  EXPECT_LT(second[2].count, second[0].count);
}

TEST(PerfCounters, NoSuchCpuIsAnError) {
  PerfCounters counters;
  EXPECT_NE(counters.open(4095, kSoftware), 0);
  EXPECT_FALSE(counters.is_open());
}

TEST(Perf, IsNotThereForATreeOfFiles) {
  FakeTree tree;
  const TreeRoots roots(tree.root());
  tree.write("sys/devices/system/cpu/possible", "0\n");
  FakeSampler s(roots.roots(), {"perf"});
  EXPECT_EQ(s.opened("perf"), ReadStatus::absent);
}

// On a machine with counters: every row has all three cells, and nothing that stands at zero is shown as
// counting.
TEST(Perf, RealCounters) {
  FakeSampler s(Roots{}, {"perf"}, 64);
  if (s.opened("perf") != ReadStatus::ok)
    GTEST_SKIP() << "no hardware counters here: " << read_status_name(s.opened("perf"));
  s.tick();
  s.tick();
  EXPECT_EQ(s.status("perf"), ReadStatus::ok);
  EXPECT_GT(s.rows("perf"), 0U);
  EXPECT_GT(s.cell("perf", {"cycles", "0"}, "count"), 0);
  EXPECT_GT(s.delta("perf", {"cycles", "0"}, "enabled_ns").value, 0U);
}

}  // namespace
}  // namespace mikroscope::proc::test
