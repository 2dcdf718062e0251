#include <gtest/gtest.h>

#include <string>

#include "fake_machine.h"

namespace mikroscope::proc::test {
namespace {

using std::nullopt;

struct StatMachine {
  explicit StatMachine(std::string_view text) {
    tree.write("proc/stat", text);
    sampler.reopen();
    sampler.tick();
  }
  void next(std::string_view text) {
    tree.write("proc/stat", text);
    sampler.tick();
  }
  FakeTree tree;
  TreeRoots roots{tree.root()};
  FakeSampler sampler{roots.roots(), {"stat"}, 512};
};

TEST(Stat, ReadsEveryColumn) {
  StatMachine m(
      "cpu  10 2 30 400 5 6 7 8 9 1\n"
      "cpu0 10 2 30 400 5 6 7 8 9 1\n"
      "intr 12345 1 2 3\n"
      "ctxt 777\nbtime 1700000000\nprocesses 88\nprocs_running 3\nprocs_blocked 2\nsoftirq 9 1 2\n");
  const char* names[] = {"user", "nice",    "system", "idle",  "iowait",
                         "irq",  "softirq", "steal",  "guest", "guest_nice"};
  const int values[] = {10, 2, 30, 400, 5, 6, 7, 8, 9, 1};
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(m.sampler.cell("cpu", {"0"}, names[i]), values[i]) << names[i];
    EXPECT_EQ(m.sampler.cell("cpu_total", names[i]), values[i]) << names[i];
  }
  EXPECT_EQ(m.sampler.cell("stat", "intr"), 12345);
  EXPECT_EQ(m.sampler.cell("stat", "ctxt"), 777);
  EXPECT_EQ(m.sampler.cell("stat", "forks"), 88);
  EXPECT_EQ(m.sampler.cell("stat", "irq_err"), nullopt);
  EXPECT_EQ(m.sampler.cell("load", "procs_running"), 3);
  EXPECT_EQ(m.sampler.cell("load", "procs_blocked"), 2);
}

TEST(Stat, HolesInCpuNumbers) {
  StatMachine m("cpu  9 0 0 9\ncpu0 1 0 0 1\ncpu1 2 0 0 2\ncpu3 4 0 0 4\n");
  EXPECT_EQ(m.sampler.cell("cpu", {"0"}, "user"), 1);
  EXPECT_EQ(m.sampler.cell("cpu", {"1"}, "user"), 2);
  EXPECT_EQ(m.sampler.cell("cpu", {"2"}, "user"), nullopt);
  EXPECT_EQ(m.sampler.cell("cpu", {"3"}, "user"), 4);
  EXPECT_EQ(m.sampler.rows("cpu"), 3U);
}

TEST(Stat, ShortAndLongLines) {
  // 8 numbers (2.6.32 had 9, older kernels fewer), the least of 4, and one more than any kernel prints.
  StatMachine m(
      "cpu  63107623 469739856 16332464 4158916418 707099622 2516676 5260527 0\n"
      "cpu0 5 6 7 8\n"
      "cpu1 1 2 3\n"
      "cpu2 1 2 3 4 5 6 7 8 9 10 11 12\n");
  EXPECT_EQ(m.sampler.cell("cpu_total", "steal"), 0);
  EXPECT_EQ(m.sampler.cell("cpu_total", "guest"), nullopt);
  EXPECT_EQ(m.sampler.cell("cpu", {"0"}, "idle"), 8);
  EXPECT_EQ(m.sampler.cell("cpu", {"0"}, "iowait"), nullopt);
  EXPECT_EQ(m.sampler.cell("cpu", {"1"}, "user"), nullopt);
  EXPECT_EQ(m.sampler.cell("cpu", {"2"}, "guest_nice"), 10);
}

TEST(Stat, BlankAndUnknownLinesAndNoSoftirq) {
  StatMachine m("cpu  1 1 1 1\ncpu0 1 1 1 1\npage 5 6\nswap 0 0\nintr 0\n\nctxt 42\n");
  EXPECT_EQ(m.sampler.cell("stat", "intr"), 0);
  EXPECT_EQ(m.sampler.cell("stat", "ctxt"), 42);
  EXPECT_EQ(m.sampler.cell("stat", "forks"), nullopt);
  EXPECT_EQ(m.sampler.cell("load", "procs_running"), nullopt);
}

TEST(Stat, LongIntrLineAndManyCpus) {
  std::string text = "cpu  1 1 1 1\n";
  for (int cpu = 0; cpu < 512; ++cpu)
    text += "cpu" + std::to_string(cpu) + " 4294967295 1 2 18446744073709551615\n";
  text += "intr 99";
  for (int i = 0; i < 20000; ++i) text += " 4294967295";
  text += "\nctxt 31337\nbtime 1\nprocesses 7\n";
  StatMachine m(text);
  EXPECT_EQ(m.sampler.rows("cpu"), 512U);
  EXPECT_EQ(m.sampler.cell("cpu", {"511"}, "user"), 4294967295);
  EXPECT_EQ(m.sampler.cell("stat", "intr"), 99);
  EXPECT_EQ(m.sampler.cell("stat", "ctxt"), 31337);
  EXPECT_EQ(m.sampler.cell("stat", "forks"), 7);
}

TEST(Stat, AFileWithoutCoresSetsNothing) {
  StatMachine m("cpu  1 1 1 1\nctxt 42\nprocs_running 1\n");
  EXPECT_EQ(m.sampler.status("stat"), ReadStatus::failed);
  EXPECT_FALSE(m.sampler.has_table("cpu_total"));
  EXPECT_FALSE(m.sampler.has_table("stat"));
  EXPECT_FALSE(m.sampler.has_table("load"));
  m.next("not the file at all\n");
  EXPECT_EQ(m.sampler.status("stat"), ReadStatus::failed);
  m.next("");
  EXPECT_EQ(m.sampler.status("stat"), ReadStatus::failed);
  m.next("cpu  1 1 1 1\ncpu0 1 1 1 1\n");
  EXPECT_EQ(m.sampler.status("stat"), ReadStatus::ok);
}

TEST(Stat, NumbersThatFitNoCounterAreAbsent) {
  StatMachine m("cpu  1 1 1 1\ncpu0 1 1 1 1 99999999999999999999 1\ncpu99999999999 1 1 1 1\n");
  EXPECT_EQ(m.sampler.cell("cpu", {"0"}, "idle"), 1);
  EXPECT_EQ(m.sampler.cell("cpu", {"0"}, "iowait"), nullopt);
  EXPECT_EQ(m.sampler.rows("cpu"), 1U);
}

// A core that goes offline loses its line. It is absent then, and absent in the tick in which it comes back,
// since there is nothing to compare with: neither a reset nor its whole running total in one tick.
TEST(Stat, ACoreGoesOfflineAndComesBack) {
  const std::string all = "cpu  9 9 9 9\ncpu0 100 0 0 50\ncpu1 2000000 0 0 3000000\ncpu2 7 0 0 7\n";
  const std::string without = "cpu  9 9 9 9\ncpu0 105 0 0 55\ncpu2 8 0 0 8\n";
  const std::string again = "cpu  9 9 9 9\ncpu0 110 0 0 60\ncpu1 2000003 0 0 3000004\ncpu2 9 0 0 9\n";
  const std::string later = "cpu  9 9 9 9\ncpu0 115 0 0 65\ncpu1 2000008 0 0 3000009\ncpu2 9 0 0 12\n";
  StatMachine m(all);
  m.next(without);
  EXPECT_EQ(m.sampler.delta("cpu", {"0"}, "user").value, 5U);
  EXPECT_EQ(m.sampler.delta("cpu", {"1"}, "user").kind, DeltaKind::absent);
  EXPECT_EQ(m.sampler.delta("cpu", {"2"}, "user").value, 1U);
  m.next(again);
  EXPECT_EQ(m.sampler.cell("cpu", {"1"}, "user"), 2000003);
  EXPECT_EQ(m.sampler.delta("cpu", {"1"}, "user").kind, DeltaKind::absent);
  EXPECT_TRUE(m.sampler.resets().empty());
  m.next(later);
  EXPECT_EQ(m.sampler.delta("cpu", {"1"}, "user").value, 5U);
  EXPECT_EQ(m.sampler.delta("cpu", {"1"}, "idle").value, 5U);
}

TEST(Stat, AFailedReadCostsOneDifference) {
  StatMachine m("cpu  10 0 0 0\ncpu0 10 0 0 0\n");
  m.next("garbage");
  EXPECT_EQ(m.sampler.delta("cpu", {"0"}, "user").kind, DeltaKind::absent);
  m.next("cpu  16 0 0 0\ncpu0 16 0 0 0\n");
  // The whole table was not read in between: the difference covers both ticks, and says so.
  EXPECT_EQ(m.sampler.delta("cpu", {"0"}, "user").value, 6U);
  const int cpu = m.sampler.layout().find("cpu");
  EXPECT_EQ(m.sampler.frame().interval_ns(static_cast<std::uint32_t>(cpu)), 200'000'000);
}

}  // namespace
}  // namespace mikroscope::proc::test
