// diskstats, yaffs, schedstat, psi, mtd, thermal, cpufreq, cpuidle.
#include <gtest/gtest.h>

#include <string>

#include "fake_machine.h"

namespace mikroscope::proc::test {
namespace {

using std::nullopt;
constexpr std::int64_t kMinute = 61'000'000'000;

TEST(Diskstats, ReadsEveryColumnOfEveryLayout) {
  FakeTree tree;
  const TreeRoots roots(tree.root());
  tree.write(
      "proc/diskstats",
      "   8       0 sda 104019 78482 4430926 29796 33788 15625 2499633 8927 3 35594 12302 0 0 0 0 2303 1625\n"
      "   8       1 sda1 1 2 3 4 5 6 7 8 9 10 11\n"
      "   8       2 sda2 21 22 23 24\n"
      "   8       3 sda3 1 2 3 4 5\n"
      "   3       0 39082680 hda 446216 784926 9550688 4382310 424847 312726 5922052 19310380 0 3376340 "
      "23705160\n"
      "   8      16 sdb 0 0 0 0 0 0 0 0 0 0 0\n");
  FakeSampler s(roots.roots(), {"diskstats"});
  s.tick();
  const std::pair<const char*, int> sda[] = {
      {"reads", 104019},          {"read_sectors", 4430926}, {"read_s", 29796}, {"writes", 33788},
      {"write_sectors", 2499633}, {"write_s", 8927},         {"io_s", 35594},   {"inflight", 3}};
  for (const auto& [column, value] : sda) EXPECT_EQ(s.cell("disk", {"sda"}, column), value) << column;
  EXPECT_EQ(s.cell("disk", {"sda1"}, "inflight"), 9);
  EXPECT_EQ(s.cell("disk", {"sda1"}, "io_s"), 10);
  EXPECT_EQ(s.cell("disk", {"sda2"}, "reads"), 21);
  EXPECT_EQ(s.cell("disk", {"sda2"}, "read_sectors"), 22);
  EXPECT_EQ(s.cell("disk", {"sda2"}, "writes"), 23);
  EXPECT_EQ(s.cell("disk", {"sda2"}, "write_sectors"), 24);
  EXPECT_EQ(s.cell("disk", {"sda2"}, "io_s"), nullopt);
  EXPECT_EQ(s.cell("disk", {"sdb"}, "reads"), 0);  // idle, but there
  EXPECT_EQ(s.rows_ever("disk"), 4U);              // neither the line of 8 words nor that of a 2.4 kernel
}

TEST(Diskstats, LoopRamAndNbdAppearWithTheirFirstTransfer) {
  FakeTree tree;
  const TreeRoots roots(tree.root());
  tree.write(
      "proc/diskstats",
      "7 0 loop0 0 0 0 0 0 0 0 0 0 0 0\n43 0 nbd0 0 0 0 0 0 0 0 0 0 0 0\n1 0 ram0 0 0 0 0 0 0 0 0 0 0 0\n");
  FakeSampler s(roots.roots(), {"diskstats"});
  s.tick();
  EXPECT_EQ(s.status("diskstats"), ReadStatus::ok);
  EXPECT_EQ(s.rows_ever("disk"), 0U);
  tree.write("proc/diskstats", "7 0 loop0 4 0 32 1 0 0 0 0 0 1 1\n43 0 nbd0 0 0 0 0 0 0 0 0 0 0 0\n");
  s.tick();
  EXPECT_EQ(s.cell("disk", {"loop0"}, "read_sectors"), 32);
  EXPECT_EQ(s.rows_ever("disk"), 1U);
}

TEST(Diskstats, MillisecondsWrapAt32BitsAndADeviceMadeAnewResets) {
  FakeTree tree;
  const TreeRoots roots(tree.root());
  tree.write("proc/diskstats", "8 0 sda 5 0 900 1 5 0 5 1 0 4294967000 1\n");
  FakeSampler s(roots.roots(), {"diskstats"});
  s.tick();
  tree.write("proc/diskstats", "8 0 sda 6 0 3 1 5 0 5 1 0 500 1\n");
  s.tick();
  EXPECT_EQ(s.delta("disk", {"sda"}, "io_s").value, 796U);
  EXPECT_EQ(s.delta("disk", {"sda"}, "read_sectors").kind, DeltaKind::reset);
  EXPECT_EQ(s.delta("disk", {"sda"}, "reads").value, 1U);
}

TEST(Yaffs, ReadsDevicesByTheirNames) {
  FakeTree tree;
  const TreeRoots roots(tree.root());
  const std::string body =
      "start_block.......... 0\n"
      "total_bytes_per_chunk 2048\n"
      "max file size....... 2147483648\n"
      "\n"
      "n_free_chunks........ 120000\n"
      "n_page_writes........ 4294967290\n"
      "n_page_reads......... 11\n"
      "n_erasures........... 12\n"
      "n_gc_copies.......... 13\n"
      "all_gcs.............. 14\n"
      "n_retried_writes..... 15\n"
      "n_retired_blocks..... 16\n"
      "n_ecc_fixed.......... 17\n"
      "n_ecc_unfixed........ 18\n"
      "n_tags_ecc_fixed..... 99\n"
      "n_bad_blocks......... 19\n"
      "0:0 1:0 2:3 9:0\n";
  tree.write("proc/yaffs", "Multi-version YAFFS built: today\n\nDevice 0 \"RouterBoard NAND 1 Main\"\n" +
                               body + "\nDevice 2 \"RouterBoard NAND 1 Boot\"\nn_page_writes........ 3\n");
  FakeSampler s(roots.roots(), {"yaffs"});
  s.tick();
  const Keys main{"RouterBoard NAND 1 Main"};
  const std::pair<const char*, std::int64_t> expected[] = {{"page_writes", 4294967290},
                                                           {"page_reads", 11},
                                                           {"erasures", 12},
                                                           {"gc_copies", 13},
                                                           {"gcs", 14},
                                                           {"retried_writes", 15},
                                                           {"retired_blocks", 16},
                                                           {"ecc_fixed", 17},
                                                           {"ecc_unfixed", 18},
                                                           {"bad_blocks", 19},
                                                           {"free_chunks", 120000}};
  for (const auto& [column, value] : expected) EXPECT_EQ(s.cell("flash", main, column), value) << column;
  EXPECT_EQ(s.cell("flash", {"RouterBoard NAND 1 Boot"}, "page_writes"), 3);
  EXPECT_EQ(s.cell("flash", {"RouterBoard NAND 1 Boot"}, "bad_blocks"), nullopt);
}

TEST(Yaffs, TwoDevicesOfOneNameAndNone) {
  FakeTree tree;
  const TreeRoots roots(tree.root());
  tree.write("proc/yaffs",
             "YAFFS built: x\nDevice 0 \"nand\"\nn_erasures.. 1\nDevice 1 \"nand\"\nn_erasures.. 2\n");
  FakeSampler s(roots.roots(), {"yaffs"});
  s.tick();
  EXPECT_EQ(s.cell("flash", {"nand"}, "erasures"), 1);
  EXPECT_EQ(s.cell("flash", {"1 \"nand\""}, "erasures"), 2);
  tree.write("proc/yaffs", "YAFFS built: x\n");
  s.tick();
  EXPECT_EQ(s.status("yaffs"), ReadStatus::ok);
  EXPECT_FALSE(s.has_table("flash"));
  tree.write("proc/yaffs", "something else\n");
  s.tick();
  EXPECT_EQ(s.status("yaffs"), ReadStatus::failed);
}

TEST(Schedstat, ReadsByCpuNumber) {
  FakeTree tree;
  const TreeRoots roots(tree.root());
  tree.write("proc/schedstat",
             "version 15\ntimestamp 4295000000\n"
             "cpu0 1 2 3 4 5 6 7000 8000 9\ndomain0 3 1 2 3 4\n"
             "cpu2 1 2 3 4 5 6 7002 8002 11\n"
             "cpu3 1 2 3\n");
  FakeSampler s(roots.roots(), {"schedstat"});
  s.tick();
  EXPECT_EQ(s.cell("sched", {"0"}, "run_ns"), 7000);
  EXPECT_EQ(s.cell("sched", {"0"}, "wait_ns"), 8000);
  EXPECT_EQ(s.cell("sched", {"0"}, "timeslices"), 9);
  EXPECT_EQ(s.cell("sched", {"2"}, "wait_ns"), 8002);
  EXPECT_EQ(s.rows_ever("sched"), 2U);
  tree.write("proc/schedstat", "version 14\ncpu0 1 2 3 4 5 6 7 8 9 10 11 12\n");
  s.tick();
  EXPECT_EQ(s.status("schedstat"), ReadStatus::failed);
  EXPECT_FALSE(s.has_table("sched"));
}

TEST(Psi, EachFileIsOptional) {
  FakeTree tree;
  const TreeRoots roots(tree.root());
  tree.write("proc/pressure/cpu",
             "some avg10=0.12 avg60=0.00 avg300=0.00 total=111\nfull avg10=0.00 total=0\n");
  tree.write("proc/pressure/memory",
             "some avg10=0.00 avg60=0.00 avg300=0.00 total=222\nfull avg10=0.00 total=333\n");
  tree.write("proc/pressure/irq", "full avg10=0.00 avg60=0.00 avg300=0.00 total=444\n");
  FakeSampler s(roots.roots(), {"psi"});
  s.tick();
  EXPECT_EQ(s.cell("psi", "cpu_some_us"), 111);
  EXPECT_EQ(s.cell("psi", "mem_some_us"), 222);
  EXPECT_EQ(s.cell("psi", "mem_full_us"), 333);
  EXPECT_EQ(s.cell("psi", "io_some_us"), nullopt);
  EXPECT_EQ(s.cell("psi", "irq_full_us"), 444);
  EXPECT_EQ(s.paths().size(), 3U);
  // One turns bad, and one comes within the minute.
  tree.write("proc/pressure/memory", "some total=\nnone total=5\n");
  tree.write("proc/pressure/io", "some total=5\nfull total=6\n");
  s.tick(kMinute);
  EXPECT_EQ(s.cell("psi", "cpu_some_us"), 111);
  EXPECT_EQ(s.cell("psi", "mem_some_us"), nullopt);
  EXPECT_EQ(s.cell("psi", "io_full_us"), 6);
}

TEST(Psi, NoneIsAbsent) {
  FakeTree tree;
  const TreeRoots roots(tree.root());
  FakeSampler s(roots.roots(), {"psi"});
  EXPECT_EQ(s.opened("psi"), ReadStatus::absent);
}

TEST(Mtd, ReadsDevicesAndSkipsAliases) {
  FakeTree tree;
  const TreeRoots roots(tree.root());
  const char* files[] = {"corrected_bits", "ecc_failures",      "bad_blocks",
                         "bbt_blocks",     "bitflip_threshold", "ecc_strength"};
  for (int i = 0; i < 6; ++i)
    tree.write(std::string("sys/class/mtd/mtd1/") + files[i], std::to_string(i + 1) + "\n");
  tree.write("sys/class/mtd/mtd1/name", "RouterBoard NAND 1 Main\n");
  tree.write("sys/class/mtd/mtd1ro/corrected_bits", "9\n");
  tree.write("sys/class/mtd/mtd0/name", "NOR\n");
  tree.write("sys/class/mtd/mtd0/bad_blocks", "0\n");
  tree.write("sys/class/mtd/mtd4/ecc_failures", "7\n");
  FakeSampler s(roots.roots(), {"mtd"});
  s.tick();
  const Keys main{"mtd1", "RouterBoard NAND 1 Main"};
  for (int i = 0; i < 6; ++i) EXPECT_EQ(s.cell("mtd", main, files[i]), i + 1) << files[i];
  EXPECT_EQ(s.cell("mtd", {"mtd4", ""}, "ecc_failures"), 7);
  EXPECT_EQ(s.cell("mtd", {"mtd4", ""}, "corrected_bits"), nullopt);
  EXPECT_EQ(s.rows_ever("mtd"), 2U);
  EXPECT_EQ(s.cadence("mtd").every_s, 10U);
  tree.write("sys/class/mtd/mtd1/ecc_failures", "oops\n");
  s.tick();
  EXPECT_EQ(s.cell("mtd", main, "ecc_failures"), nullopt);
  EXPECT_EQ(s.cell("mtd", main, "corrected_bits"), 1);
}

TEST(Thermal, ReadsZonesWithHolesSignsAndEqualTypes) {
  FakeTree tree;
  const TreeRoots roots(tree.root());
  const std::string base = "sys/class/thermal/thermal_zone";
  tree.write(base + "0/type", "cpu-thermal\n");
  tree.write(base + "0/temp", "51234\n");
  tree.write(base + "0/trip_point_0_type", "passive\n");
  tree.write(base + "0/trip_point_0_temp", "85000\n");
  tree.write(base + "0/trip_point_1_type", "critical\n");
  tree.write(base + "0/trip_point_1_temp", "115000\n");
  tree.write(base + "0/trip_point_2_type", "critical\n");
  tree.write(base + "0/trip_point_2_temp", "105000\n");
  tree.write(base + "2/type", "outdoor\n");
  tree.write(base + "2/temp", "-5250\n");
  tree.write(base + "11/type", "cpu-thermal\n");
  tree.write(base + "11/temp", "49000\n");
  tree.write("sys/class/thermal/cooling_device0/type", "fan\n");
  FakeSampler s(roots.roots(), {"thermal"});
  s.tick();
  EXPECT_EQ(s.cell("thermal", {"cpu-thermal"}, "celsius"), 51234);
  EXPECT_EQ(s.cell("thermal", {"cpu-thermal"}, "critical_celsius"), 105000);
  EXPECT_EQ(s.cell("thermal", {"outdoor"}, "celsius"), -5250);
  EXPECT_EQ(s.cell("thermal", {"outdoor"}, "critical_celsius"), nullopt);
  EXPECT_EQ(s.cell("thermal", {"cpu-thermal:11"}, "celsius"), 49000);
  EXPECT_EQ(s.cadence("thermal").reason, "rate");
  // One sensor sleeps: the others keep their rows.
  tree.write(base + "0/temp", "\n");
  s.tick();
  EXPECT_EQ(s.cell("thermal", {"cpu-thermal"}, "celsius"), nullopt);
  EXPECT_EQ(s.cell("thermal", {"cpu-thermal:11"}, "celsius"), 49000);
  // A zone that comes later is found within a minute.
  tree.write(base + "3/type", "wifi\n");
  tree.write(base + "3/temp", "61000\n");
  s.tick(kMinute);
  EXPECT_EQ(s.cell("thermal", {"wifi"}, "celsius"), 61000);
  EXPECT_EQ(s.rows("thermal"), 3U);
}

TEST(Thermal, TheFastestDeclaredDelayIsTheCadence) {
  FakeTree tree;
  const TreeRoots roots(tree.root());
  for (const char* zone : {"0", "1"}) {
    tree.write(std::string("sys/class/thermal/thermal_zone") + zone + "/type",
               std::string("z") + zone + "\n");
    tree.write(std::string("sys/class/thermal/thermal_zone") + zone + "/temp", "40000\n");
  }
  tree.write("sys/class/thermal/thermal_zone0/polling_delay", "5000\n");
  tree.write("sys/class/thermal/thermal_zone1/polling_delay", "1000\n");
  {
    FakeSampler s(roots.roots(), {"thermal"});
    EXPECT_EQ(s.cadence("thermal").every_s, 1U);
    EXPECT_EQ(s.cadence("thermal").reason, "declared");
  }
  // In the device tree: 250 ms in four bytes, the highest first.
  tree.write("proc/device-tree/thermal-zones/z0/polling-delay", std::string_view("\0\0\0\xfa", 4));
  tree.remove("sys/class/thermal/thermal_zone0/polling_delay");
  FakeSampler s(roots.roots(), {"thermal"});
  EXPECT_EQ(s.cadence("thermal").max_hz, 4U);
}

TEST(Thermal, ZonesThatNeverReadAreAbsent) {
  FakeTree tree;
  const TreeRoots roots(tree.root());
  tree.write("sys/class/thermal/thermal_zone0/temp", "no data\n");
  FakeSampler s(roots.roots(), {"thermal"});
  EXPECT_EQ(s.opened("thermal"), ReadStatus::absent);
}

TEST(Cpufreq, CoresWithHolesAndGovernors) {
  FakeTree tree;
  const TreeRoots roots(tree.root());
  const auto core = [&](const std::string& cpu, const char* khz, const char* governor) {
    const std::string base = "sys/devices/system/cpu/cpu" + cpu + "/cpufreq/";
    tree.write(base + "scaling_cur_freq", khz);
    tree.write(base + "cpuinfo_max_freq", "1400000\n");
    tree.write(base + "scaling_governor", governor);
  };
  core("0", "350000\n", "userspace\n");
  core("2", "1400000\n", "userspace\n");
  tree.write("sys/devices/system/cpu/cpufreq/policy0/x", "");
  FakeSampler s(roots.roots(), {"cpufreq"});
  s.tick();
  EXPECT_EQ(s.cell("cpufreq", {"0"}, "khz"), 350000);
  EXPECT_EQ(s.cell("cpufreq", {"2"}, "khz"), 1400000);
  EXPECT_EQ(s.cell("cpufreq", {"2"}, "max_khz"), 1400000);
  EXPECT_EQ(s.cell("cpufreq", {"1"}, "khz"), nullopt);
  EXPECT_EQ(s.cadence("cpufreq").reason, "policy");
  // A failed read of one core shifts nothing.
  tree.write("sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", "<unknown>\n");
  core("2", "700000\n", "ondemand\n");
  s.tick(kMinute);
  EXPECT_EQ(s.cell("cpufreq", {"0"}, "khz"), nullopt);
  EXPECT_EQ(s.cell("cpufreq", {"2"}, "khz"), 700000);
  EXPECT_EQ(s.cadence("cpufreq").reason, "rate");
}

TEST(Cpuidle, StatesByNameOfEachCore) {
  FakeTree tree;
  const TreeRoots roots(tree.root());
  const auto state = [&](const std::string& where, const char* name, const char* us, const char* entries) {
    const std::string base = "sys/devices/system/cpu/" + where;
    tree.write(base + "/name", name);
    tree.write(base + "/time", us);
    tree.write(base + "/usage", entries);
  };
  state("cpu0/cpuidle/state0", "WFI\n", "5000\n", "10\n");
  state("cpu0/cpuidle/state1", "sleep\n", "7000\n", "2\n");
  state("cpu3/cpuidle/state0", "WFI\n", "1000\n", "4\n");
  state("cpu3/cpuidle/state2", "WFI\n", "3000\n", "3\n");
  tree.write("sys/devices/system/cpu/cpuidle/current_driver", "x\n");
  FakeSampler s(roots.roots(), {"cpuidle"});
  s.tick();
  EXPECT_EQ(s.cell("cpuidle", {"0", "WFI"}, "residency_us"), 5000);
  EXPECT_EQ(s.cell("cpuidle", {"0", "sleep"}, "entries"), 2);
  EXPECT_EQ(s.cell("cpuidle", {"3", "WFI"}, "residency_us"), 1000);
  EXPECT_EQ(s.cell("cpuidle", {"3", "WFI:2"}, "residency_us"), 3000);
  tree.write("sys/devices/system/cpu/cpu0/cpuidle/state0/time", "5090\n");
  tree.write("sys/devices/system/cpu/cpu0/cpuidle/state0/usage", "?\n");
  s.tick();
  EXPECT_EQ(s.delta("cpuidle", {"0", "WFI"}, "residency_us").value, 90U);
  EXPECT_EQ(s.cell("cpuidle", {"0", "WFI"}, "entries"), nullopt);
}

TEST(Cpuidle, NoneIsAbsent) {
  FakeTree tree;
  const TreeRoots roots(tree.root());
  tree.write("sys/devices/system/cpu/cpu0/online", "1\n");
  FakeSampler s(roots.roots(), {"cpuidle", "cpufreq", "thermal", "mtd"});
  for (const char* name : {"cpuidle", "cpufreq", "thermal", "mtd"})
    EXPECT_EQ(s.opened(name), ReadStatus::absent) << name;
}

}  // namespace
}  // namespace mikroscope::proc::test
