// Defects that users of other tools met when those read /proc. Each test names where it was reported and uses
// the reporter's input, reduced.
#include <gtest/gtest.h>

#include <string>

#include "tests/proc/sources/fake_machine.h"

namespace mikroscope::proc::test {
namespace {

using std::nullopt;

// One file below proc/ and the source that reads it.
struct Reading {
  Reading(std::string_view source, const std::string& file, std::string_view text, std::uint32_t cpus = 16)
      : path("proc/" + file) {
    tree.write(path, text);
    sampler.emplace(roots.roots(), std::initializer_list<std::string_view>{source}, cpus);
    sampler->tick();
  }
  void next(std::string_view text) {
    tree.write(path, text);
    sampler->tick();
  }
  std::optional<std::int64_t> cell(std::string_view table, const Keys& keys, std::string_view column) const {
    return sampler->cell(table, keys, column);
  }
  Delta delta(std::string_view table, const Keys& keys, std::string_view column) const {
    return sampler->delta(table, keys, column);
  }
  FakeTree tree;
  TreeRoots roots{tree.root()};
  std::string path;
  std::optional<FakeSampler> sampler;
};

// below#8190, procfs#84 (Go), procfs#124 and #274 (Rust), sysstat#7, Waybar#3499, conky#198, qps#528.
TEST(PublicBugs, HolesInCpuNumbers) {
  Reading r("stat", "stat",
            "cpu  1 1 1 1\ncpu0 10 0 0 0\ncpu1 11 0 0 0\ncpu4 14 0 0 0\ncpu5 15 0 0 0\ncpu8 18 0 0 0\ncpu13 "
            "23 0 0 0\n");
  for (const auto& [cpu, user] :
       {std::pair{"0", 10}, {"1", 11}, {"4", 14}, {"5", 15}, {"8", 18}, {"13", 23}}) {
    EXPECT_EQ(r.cell("cpu", {cpu}, "user"), user) << cpu;
  }
  EXPECT_EQ(r.cell("cpu", {"2"}, "user"), nullopt);
  EXPECT_EQ(r.sampler->rows("cpu"), 6U);
}

// node_exporter#1372, #1686, #1853, #1903, #2067; nomad#18804.
TEST(PublicBugs, IowaitGoesBackALittle) {
  Reading r("stat", "stat", "cpu  5 5 5 548282 1000\ncpu0 5 5 5 548282 1000\n");
  r.next("cpu  6 5 5 548281 998\ncpu0 6 5 5 548281 998\n");
  const Delta iowait = r.delta("cpu", {"0"}, "iowait");
  EXPECT_EQ(iowait.kind, DeltaKind::backward);
  EXPECT_EQ(iowait.value, 0U);
  EXPECT_EQ(r.delta("cpu", {"0"}, "idle").value, 0U);
  EXPECT_EQ(r.delta("cpu", {"0"}, "user").value, 1U);  // the other fields of the line are kept
}

// telegraf#721, #3342, #14974: "current total CPU time is less than previous", for ever.
TEST(PublicBugs, OneStepBackCostsOneInterval) {
  Reading r("stat", "stat", "cpu  100 0 0 0\ncpu0 100 0 0 0\n");
  r.next("cpu  90 0 0 0\ncpu0 90 0 0 0\n");
  EXPECT_FALSE(r.delta("cpu", {"0"}, "user").has_value());
  r.next("cpu  110 0 0 0\ncpu0 110 0 0 0\n");
  EXPECT_EQ(r.delta("cpu", {"0"}, "user").value, 20U);
}

// java-procfs#1, procfs#50, netdata#104.
TEST(PublicBugs, ShortCpuLines) {
  Reading r("stat", "stat",
            "cpu  63107623 469739856 16332464 4158916418 707099622 2516676 5260527 0\n"
            "cpu0 63107623 469739856 16332464 4158916418 707099622 2516676 5260527 0\n");
  EXPECT_EQ(r.cell("cpu", {"0"}, "softirq"), 5260527);
  EXPECT_EQ(r.cell("cpu", {"0"}, "guest"), nullopt);
}

// go-osstat#4, libstatgrab#124.
TEST(PublicBugs, BlankLineAndMissingLines) {
  Reading r("stat", "stat",
            "cpu  1 1 1 1\ncpu0 1 1 1 1\nintr 0\nswap 0 0\n\nctxt 123\nbtime 5\nprocesses 6\n");
  EXPECT_EQ(r.cell("stat", {}, "ctxt"), 123);
  EXPECT_EQ(r.cell("stat", {}, "forks"), 6);
  EXPECT_EQ(r.cell("load", {}, "procs_blocked"), nullopt);
}

// procfs#546, SapMachine#771, lxcfs#28, dynolog#386.
TEST(PublicBugs, AnIntrLineOf200Kilobytes) {
  std::string text = "cpu  1 1 1 1\ncpu0 1 1 1 1\nintr 5";
  for (int i = 0; i < 20000; ++i) text += " 1234567890";
  Reading r("stat", "stat", text + "\nctxt 9\n");
  EXPECT_EQ(r.cell("stat", {}, "ctxt"), 9);
}

// node_exporter#742, psutil#1210, collectd#3766.
TEST(PublicBugs, StealFallsByEightHundredMillion) {
  Reading r("stat", "stat", "cpu  1 1 1 1\ncpu0 100 100 100 100 100 100 100 4000000000\n");
  r.next("cpu  1 1 1 1\ncpu0 200 200 200 200 200 200 200 3167542567\n");
  EXPECT_EQ(r.delta("cpu", {"0"}, "steal").kind, DeltaKind::reset);
  for (const char* column : {"user", "nice", "system", "idle", "iowait", "irq", "softirq"}) {
    EXPECT_EQ(r.delta("cpu", {"0"}, column).value, 100U) << column;
  }
  r.next("cpu  1 1 1 1\ncpu0 200 200 200 200 200 200 200 3167542570\n");
  EXPECT_EQ(r.delta("cpu", {"0"}, "steal").value, 3U);
}

// netdata#4051, #11783, #23622; node_exporter#2557: a new series every second.
TEST(PublicBugs, NoBlankBeforeTheCount) {
  Reading r("interrupts", "interrupts", "  CPU0 CPU1\nIPI0:1145401553  3 Rescheduling interrupts\n");
  r.next("  CPU0 CPU1\nIPI0:1145401559  4 Rescheduling interrupts\n");
  EXPECT_EQ(r.delta("irq_cpu", {"IPI0", "Rescheduling interrupts", "0"}, "count").value, 6U);
  EXPECT_EQ(r.sampler->rows_ever("irq_cpu"), 2U);
}

// bosun#647, collectd#1189, munin#144.
TEST(PublicBugs, ShortInterruptRows) {
  Reading r("interrupts", "interrupts",
            "  CPU0 CPU1 CPU2 CPU3\nFIQ:             usb_fiq\nErr:          0\nERR:          0\nMIS:         "
            " 0\n 1: 1 2 3 4 x\n");
  EXPECT_EQ(r.cell("stat", {}, "irq_err"), 0);
  EXPECT_EQ(r.cell("stat", {}, "irq_mis"), 0);
  EXPECT_EQ(r.sampler->rows_ever("irq_cpu"), 4U);
}

// netdata#22532 and #22556, perfetto#5547.
TEST(PublicBugs, InterruptNamesWithEverythingInThem) {
  Reading r("interrupts", "interrupts",
            "  CPU0 CPU1\n"
            " 1: 1 2 PCI-MSIX-0000:86:00.0 40-edge mlx5_comp40@pci:0000:86:00.0\n"
            " 2: 1 2 cs40l26 IRQ1 Controller\n"
            " 3: 1 2 GICv3 5 Level nvme 0 io5\n"
            " 4: 1 2 IO-APIC-fasteoi   ehci_hcd:usb1, uhci_hcd:usb3\n");
  for (const auto& [irq, name] : {std::pair{"1", "mlx5_comp40@pci:0000:86:00.0"},
                                  {"2", "cs40l26 IRQ1 Controller"},
                                  {"3", "nvme 0 io5"},
                                  {"4", "ehci_hcd:usb1, uhci_hcd:usb3"}}) {
    EXPECT_EQ(r.cell("irq_cpu", {irq, name, "1"}, "count"), 2) << name;
  }
}

// opendcdiag#441.
TEST(PublicBugs, InterruptHeaderWithHoles) {
  Reading r("interrupts", "interrupts", "  CPU0 CPU9 CPU20 CPU27\n 1: 100 109 120 127 x\n", 32);
  for (const char* cpu : {"0", "9", "20", "27"}) {
    EXPECT_EQ(r.cell("irq_cpu", {"1", "x", cpu}, "count"), 100 + std::stoi(cpu));
  }
}

// node_exporter#1625, procfs#271, #473, #517, sysstat#315, netdata#1076.
TEST(PublicBugs, SoftnetOfTenAndOfThirteenColumns) {
  Reading ten("softnet", "net/softnet_stat",
              "000008c5 00000000 00000006 00000000 00000000 00000000 00000000 00000000 00000000 00000000\n");
  EXPECT_EQ(ten.cell("softnet", {"0"}, "processed"), 2245);
  EXPECT_EQ(ten.cell("softnet", {"0"}, "time_squeeze"), 6);
  const std::string nine_zeros = " 0 0 0 0 0 0 0 0 0 ";
  Reading thirteen("softnet", "net/softnet_stat",
                   "00000001 0 0" + nine_zeros + "00000000\n" +      //
                       "00000002 0 0" + nine_zeros + "00000001\n" +  //
                       "00000003 0 0" + nine_zeros + "00000003\n");
  EXPECT_EQ(thirteen.cell("softnet", {"1"}, "processed"), 2);
  EXPECT_EQ(thirteen.cell("softnet", {"2"}, "processed"), nullopt);
  EXPECT_EQ(thirteen.cell("softnet", {"3"}, "processed"), 3);
}

TEST(PublicBugs, SoftnetWrapsAt32Bits) {
  Reading r("softnet", "net/softnet_stat", "fffffff0 0 0\n");
  r.next("00000010 0 0\n");
  EXPECT_EQ(r.delta("softnet", {"0"}, "processed").value, 32U);
}

// node_exporter#608.
TEST(PublicBugs, NoMemAvailable) {
  Reading r("meminfo", "meminfo", "MemTotal:       1024 kB\nMemFree:         512 kB\n");
  EXPECT_EQ(r.cell("mem", {}, "available_kb"), nullopt);
}

// gopsutil#1002, taffybar#74.
TEST(PublicBugs, MeminfoWithATableInFront) {
  Reading r("meminfo", "meminfo",
            "        total:    used:    free:  shared: buffers:  cached:\n"
            "Mem:  260579328 136073216 124506112        0  4620288 66461696\n"
            "Swap:        0        0        0\n"
            "MemTotal:         254472 kB\nMemFree:          121588 kB\n");
  EXPECT_EQ(r.cell("mem", {}, "total_kb"), 254472);
  EXPECT_EQ(r.cell("mem", {}, "free_kb"), 121588);
}

// psutil#530, #767 and #1665, gopsutil#207, telegraf#1322, pgcenter#64, checkmk#8, node_exporter#1721.
TEST(PublicBugs, DiskstatsOf7And15And20Words) {
  Reading r(
      "diskstats", "diskstats",
      "   8    0 sda 104019 78482 4430926 29796 33788 15625 2499633 8927 0 35594 12302 0 0 0 0 2303 1625\n"
      "   3    1 hda1 35486 38030 38030 38030\n"
      "   3    0 39082680 hdb 446216 784926 9550688 4382310 424847 312726 5922052 19310380 0 3376340 "
      "23705160\n");
  EXPECT_EQ(r.cell("disk", {"sda"}, "io_s"), 35594);
  EXPECT_EQ(r.cell("disk", {"sda"}, "write_sectors"), 2499633);
  EXPECT_EQ(r.cell("disk", {"hda1"}, "reads"), 35486);
  EXPECT_EQ(r.cell("disk", {"hda1"}, "inflight"), nullopt);
  EXPECT_EQ(r.sampler->rows_ever("disk"), 2U);
}

// cockroach#163315, telegraf#17408, sysstat#355.
TEST(PublicBugs, DiskCountersThatWrapOrStartAgain) {
  Reading r("diskstats", "diskstats", "8 0 sda 5 0 900 0 5 0 5 0 0 4294967000 1\n");
  r.next("8 0 sda 5 0 3 0 5 0 5 0 0 500 1\n");
  EXPECT_EQ(r.delta("disk", {"sda"}, "io_s").value, 796U);
  EXPECT_EQ(r.delta("disk", {"sda"}, "read_sectors").kind, DeltaKind::reset);
  r.next("8 0 sda 5 0 5 0 5 0 5 0 0 501 1\n");
  EXPECT_EQ(r.delta("disk", {"sda"}, "read_sectors").value, 2U);
}

}  // namespace
}  // namespace mikroscope::proc::test
