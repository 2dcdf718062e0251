// interrupts, softirqs and softnet: tables whose columns or rows are CPUs.
#include <gtest/gtest.h>

#include <string>

#include "fake_machine.h"

namespace mikroscope::proc::test {
namespace {

using std::nullopt;

struct IrqMachine {
  IrqMachine(std::string_view source, std::string file, std::string_view text, std::uint32_t cpus = 8)
      : path("proc/" + file) {
    tree.write(path, text);
    sampler.emplace(roots.roots(), std::initializer_list<std::string_view>{source}, cpus);
    sampler->tick();
  }
  void next(std::string_view text) {
    tree.write(path, text);
    sampler->tick();
  }
  FakeTree tree;
  TreeRoots roots{tree.root()};
  std::string path;
  std::optional<FakeSampler> sampler;
};

TEST(Interrupts, RowsOfArmAndTheirDevices) {
  IrqMachine m("interrupts", "interrupts",
               "           CPU0       CPU1       \n"
               "  3:        105        137   GICv2  30 Level     arch_timer\n"
               " 24:          1          0   f03f0100.interrupt-controller  17 Level     arm-pmu\n"
               " 29:          0          2   ICU-NSR 115 Level     marvell-nfc\n"
               " 33:          4          5   MSI 524288 Edge      armada8k-pcie, aerdrv\n"
               "IPI0:        12          3       Rescheduling interrupts\n"
               "Err:          7\n");
  EXPECT_EQ(m.sampler->cell("irq_cpu", {"3", "arch_timer", "0"}, "count"), 105);
  EXPECT_EQ(m.sampler->cell("irq_cpu", {"3", "arch_timer", "1"}, "count"), 137);
  EXPECT_EQ(m.sampler->cell("irq_cpu", {"24", "arm-pmu", "0"}, "count"), 1);
  EXPECT_EQ(m.sampler->cell("irq_cpu", {"29", "marvell-nfc", "1"}, "count"), 2);
  EXPECT_EQ(m.sampler->cell("irq_cpu", {"33", "armada8k-pcie, aerdrv", "1"}, "count"), 5);
  EXPECT_EQ(m.sampler->cell("irq_cpu", {"IPI0", "Rescheduling interrupts", "0"}, "count"), 12);
  EXPECT_EQ(m.sampler->cell("stat", "irq_err"), 7);
  EXPECT_EQ(m.sampler->cell("stat", "irq_mis"), nullopt);
  EXPECT_EQ(m.sampler->rows("irq_cpu"), 10U);
}

TEST(Interrupts, RowsOfX86) {
  IrqMachine m("interrupts", "interrupts",
               "            CPU0       CPU1       \n"
               "   0:         22          0   IO-APIC   2-edge      timer\n"
               "   9:          0          1   IO-APIC   9-fasteoi   acpi\n"
               "  24:          0         30  PCI-MSIX-0000:00:03.0   0-edge      virtio0-config\n"
               "  40:          1          2  PCI-MSI 524288-edge      mlx5_comp40@pci:0000:86:00.0\n"
               " NMI:          5          6   Non-maskable interrupts\n"
               " ERR:          3\n"
               " MIS:          2\n");
  EXPECT_EQ(m.sampler->cell("irq_cpu", {"0", "timer", "0"}, "count"), 22);
  EXPECT_EQ(m.sampler->cell("irq_cpu", {"9", "acpi", "1"}, "count"), 1);
  EXPECT_EQ(m.sampler->cell("irq_cpu", {"24", "virtio0-config", "1"}, "count"), 30);
  EXPECT_EQ(m.sampler->cell("irq_cpu", {"40", "mlx5_comp40@pci:0000:86:00.0", "0"}, "count"), 1);
  EXPECT_EQ(m.sampler->cell("irq_cpu", {"NMI", "Non-maskable interrupts", "1"}, "count"), 6);
  EXPECT_EQ(m.sampler->cell("stat", "irq_err"), 3);
  EXPECT_EQ(m.sampler->cell("stat", "irq_mis"), 2);
  EXPECT_EQ(m.sampler->rows("irq_cpu"), 10U);
}

TEST(Interrupts, TheNameEndsAtTheFirstColon) {
  IrqMachine m("interrupts", "interrupts",
               "           CPU0       CPU1\n"
               "IPI0:1145401553          3  Rescheduling interrupts\n"
               "FIQ:              usb_fiq\n"
               " 16:          8          9   GIC 5 Level     ehci_hcd:usb1, uhci_hcd:usb3\n"
               " 17:          1          1   cs40l26 IRQ1 Controller\n");
  EXPECT_EQ(m.sampler->cell("irq_cpu", {"IPI0", "Rescheduling interrupts", "0"}, "count"), 1145401553);
  EXPECT_EQ(m.sampler->cell("irq_cpu", {"IPI0", "Rescheduling interrupts", "1"}, "count"), 3);
  EXPECT_EQ(m.sampler->cell("irq_cpu", {"16", "ehci_hcd:usb1, uhci_hcd:usb3", "1"}, "count"), 9);
  EXPECT_EQ(m.sampler->cell("irq_cpu", {"17", "cs40l26 IRQ1 Controller", "0"}, "count"), 1);
  EXPECT_EQ(m.sampler->rows("irq_cpu"), 6U);
}

// One number on four CPUs is nobody's number in particular, least of all CPU 0's.
TEST(Interrupts, AGlobalCountIsNotCpu0) {
  IrqMachine m("interrupts", "interrupts",
               "      CPU0 CPU1 CPU2 CPU3\n"
               "  1: 1 2 3 4 x\n"
               "Err: 0\n"
               "BAD: 5\n");
  EXPECT_EQ(m.sampler->cell("stat", "irq_err"), 0);
  EXPECT_EQ(m.sampler->rows_ever("irq_cpu"), 4U);
}

TEST(Interrupts, HeaderWithHoles) {
  IrqMachine m("interrupts", "interrupts",
               "      CPU0 CPU9 CPU20\n"
               "  1: 10 11 12 x\n",
               32);
  EXPECT_EQ(m.sampler->cell("irq_cpu", {"1", "x", "0"}, "count"), 10);
  EXPECT_EQ(m.sampler->cell("irq_cpu", {"1", "x", "9"}, "count"), 11);
  EXPECT_EQ(m.sampler->cell("irq_cpu", {"1", "x", "20"}, "count"), 12);
  EXPECT_EQ(m.sampler->cell("irq_cpu", {"1", "x", "1"}, "count"), nullopt);
}

TEST(Interrupts, ACoreGoesOfflineAndComesBack) {
  IrqMachine m("interrupts", "interrupts", "  CPU0 CPU1 CPU2\n 1: 100 5000000 7 eth\n");
  m.next("  CPU0 CPU2\n 1: 110 8 eth\n");
  EXPECT_EQ(m.sampler->delta("irq_cpu", {"1", "eth", "0"}, "count").value, 10U);
  EXPECT_EQ(m.sampler->delta("irq_cpu", {"1", "eth", "1"}, "count").kind, DeltaKind::absent);
  EXPECT_EQ(m.sampler->delta("irq_cpu", {"1", "eth", "2"}, "count").value, 1U);
  m.next("  CPU0 CPU1 CPU2\n 1: 120 5000001 9 eth\n");
  EXPECT_EQ(m.sampler->delta("irq_cpu", {"1", "eth", "1"}, "count").kind, DeltaKind::absent);
  m.next("  CPU0 CPU1 CPU2\n 1: 120 5000004 9 eth\n");
  EXPECT_EQ(m.sampler->delta("irq_cpu", {"1", "eth", "1"}, "count").value, 3U);
  EXPECT_EQ(m.sampler->rows_ever("irq_cpu"), 3U);
}

// A CPU that comes while the file is printed: header and row disagree, and the surplus number is no part of a
// name.
TEST(Interrupts, MoreNumbersThanCpusMakeNoNewRow) {
  IrqMachine m("interrupts", "interrupts", " CPU0 CPU1\n 1: 1 2 eth\n 2: 1 2 3 usb\n 3: 1 2  3ware\n");
  EXPECT_EQ(m.sampler->rows_ever("irq_cpu"), 4U);
  EXPECT_EQ(m.sampler->cell("irq_cpu", {"3", "3ware", "1"}, "count"), 2);
}

// Lines that did not change are not parsed again: their counts stand still, also across damage and a changed
// header.
TEST(Interrupts, UnchangedLinesKeepTheirCounts) {
  IrqMachine m("interrupts", "interrupts", " CPU0 CPU1\n 1: 10 11 a\n 2: 20 21 b\n");
  m.next(" CPU0 CPU1\n 1: 10 11 a\n 2: 20 29 b\n");
  EXPECT_EQ(m.sampler->cell("irq_cpu", {"1", "a", "1"}, "count"), 11);
  EXPECT_EQ(m.sampler->delta("irq_cpu", {"1", "a", "1"}, "count").value, 0U);
  EXPECT_EQ(m.sampler->delta("irq_cpu", {"2", "b", "1"}, "count").value, 8U);
  m.next("damage\n 1: 10 11 a\n 2: 20 29 b\n");
  EXPECT_FALSE(m.sampler->has_table("irq_cpu"));
  m.next(" CPU0 CPU3\n 1: 10 11 a\n 2: 20 29 b\n");
  EXPECT_EQ(m.sampler->cell("irq_cpu", {"1", "a", "1"}, "count"), nullopt);
  EXPECT_EQ(m.sampler->cell("irq_cpu", {"1", "a", "3"}, "count"), 11);
  m.next(" CPU0 CPU3\n 1: 10 xx a\n 2: 20 29 b\n");
  EXPECT_EQ(m.sampler->cell("irq_cpu", {"1", "a", "3"}, "count"), nullopt);
  m.next(" CPU0 CPU3\n 1: 10 11 a\n 2: 20 29 b\n");
  EXPECT_EQ(m.sampler->cell("irq_cpu", {"1", "a", "3"}, "count"), 11);
}

TEST(Interrupts, LinesComeAndGo) {
  IrqMachine m("interrupts", "interrupts", " CPU0\n 1: 10 a\n 2: 20 b\n 3: 30 c\n");
  m.next(" CPU0\n 1: 11 a\n 3: 33 c\n 4: 44 d\n");
  EXPECT_EQ(m.sampler->delta("irq_cpu", {"1", "a", "0"}, "count").value, 1U);
  EXPECT_EQ(m.sampler->cell("irq_cpu", {"2", "b", "0"}, "count"), nullopt);
  EXPECT_EQ(m.sampler->delta("irq_cpu", {"3", "c", "0"}, "count").value, 3U);
  EXPECT_EQ(m.sampler->delta("irq_cpu", {"4", "d", "0"}, "count").kind, DeltaKind::absent);
  // The same number for another device is another row, not a jump of the first.
  m.next(" CPU0\n 1: 5 z\n 3: 33 c\n 4: 45 d\n");
  EXPECT_EQ(m.sampler->cell("irq_cpu", {"1", "a", "0"}, "count"), nullopt);
  EXPECT_EQ(m.sampler->cell("irq_cpu", {"1", "z", "0"}, "count"), 5);
  EXPECT_TRUE(m.sampler->resets().empty());
}

TEST(Interrupts, WrapAt32Bits) {
  IrqMachine m("interrupts", "interrupts", " CPU0\n 1: 4294967290 a\n");
  m.next(" CPU0\n 1: 4 a\n");
  EXPECT_EQ(m.sampler->delta("irq_cpu", {"1", "a", "0"}, "count").kind, DeltaKind::wrap);
  EXPECT_EQ(m.sampler->delta("irq_cpu", {"1", "a", "0"}, "count").value, 10U);
}

TEST(Interrupts, ThreeHundredCpus) {
  std::string text = "     ";
  for (int cpu = 0; cpu < 300; ++cpu) text += "      CPU" + std::to_string(cpu);
  text += '\n';
  for (int irq = 0; irq < 100; ++irq) {
    text += std::to_string(irq) + ":";
    for (int cpu = 0; cpu < 300; ++cpu)
      text += " " + std::to_string(4000000000U + static_cast<unsigned>(irq * 300 + cpu));
    text += "  PCI-MSI " + std::to_string(irq) + "-edge      eth0-TxRx-" + std::to_string(irq) + "\n";
  }
  IrqMachine m("interrupts", "interrupts", text, 300);
  EXPECT_EQ(m.sampler->rows("irq_cpu"), 30000U);
  EXPECT_EQ(m.sampler->layout().rows_refused, 0U);
  EXPECT_EQ(m.sampler->cell("irq_cpu", {"99", "eth0-TxRx-99", "299"}, "count"), 4000029999);
  m.next(text);
  EXPECT_EQ(m.sampler->delta("irq_cpu", {"50", "eth0-TxRx-50", "150"}, "count").value, 0U);
}

TEST(Interrupts, NoHeaderIsNotTheFile) {
  IrqMachine m("interrupts", "interrupts", "  1: 10 a\n");
  EXPECT_EQ(m.sampler->status("interrupts"), ReadStatus::failed);
  EXPECT_FALSE(m.sampler->has_table("irq_cpu"));
  m.next(" CPU0 CPUx\n  1: 10 11 a\n");
  EXPECT_EQ(m.sampler->status("interrupts"), ReadStatus::failed);
}

TEST(Softirqs, ReadsEveryKindOfEveryCpu) {
  IrqMachine m("softirqs", "softirqs",
               "                    CPU0       CPU2       \n"
               "          HI:          1          2\n"
               "      NET_RX: 4294967295         20\n"
               "       SHORT:          1\n"
               "        LONG:          1          2          3\n");
  EXPECT_EQ(m.sampler->cell("softirq", {"HI", "0"}, "count"), 1);
  EXPECT_EQ(m.sampler->cell("softirq", {"HI", "2"}, "count"), 2);
  EXPECT_EQ(m.sampler->cell("softirq", {"NET_RX", "2"}, "count"), 20);
  EXPECT_EQ(m.sampler->rows_ever("softirq"), 4U);
  m.next(
      "                    CPU0       CPU2\n          HI:          1          2\n      NET_RX:          9    "
      "     25\n");
  EXPECT_EQ(m.sampler->delta("softirq", {"NET_RX", "0"}, "count").value, 10U);
  EXPECT_EQ(m.sampler->delta("softirq", {"NET_RX", "2"}, "count").value, 5U);
}

TEST(Softnet, OldRowsAreHexWithoutCpuNumber) {
  // Ten columns, as kernels before 3.11 print them.
  IrqMachine m("softnet", "net/softnet_stat",
               "000008c5 00000001 00000006 00000000 00000000 00000000 00000000 00000000 0000000a 0000000b\n");
  EXPECT_EQ(m.sampler->cell("softnet", {"0"}, "processed"), 0x8c5);
  EXPECT_EQ(m.sampler->cell("softnet", {"0"}, "dropped"), 1);
  EXPECT_EQ(m.sampler->cell("softnet", {"0"}, "time_squeeze"), 6);
  EXPECT_EQ(m.sampler->cell("softnet", {"0"}, "cpu_collision"), 10);
  EXPECT_EQ(m.sampler->cell("softnet", {"0"}, "received_rps"), 11);
  EXPECT_EQ(m.sampler->cell("softnet", {"0"}, "flow_limit"), nullopt);
  EXPECT_EQ(m.sampler->cell("softnet", {"0"}, "backlog"), nullopt);
}

constexpr char kZeros[] = " 00000000 00000000 00000000 00000000 00000000";

TEST(Softnet, TheCpuNumberIsUsedWhereItIsPrinted) {
  const std::string z = kZeros;
  IrqMachine m(
      "softnet", "net/softnet_stat",
      "00000010 00000000 00000000" + z + " 00000000 00000000 00000000 00000005 00000000 00000002 00000003\n" +
          "00000020 00000000 00000000" + z +
          " 00000000 00000000 00000000 00000000 00000001 00000000 00000000\n" + "00000030 00000000 00000000" +
          z + " 00000000 00000000 00000000 00000000 00000003 00000000 00000000\n");
  EXPECT_EQ(m.sampler->cell("softnet", {"0"}, "processed"), 0x10);
  EXPECT_EQ(m.sampler->cell("softnet", {"0"}, "backlog"), 5);
  EXPECT_EQ(m.sampler->cell("softnet", {"0"}, "input_qlen"), 2);
  EXPECT_EQ(m.sampler->cell("softnet", {"0"}, "process_qlen"), 3);
  EXPECT_EQ(m.sampler->cell("softnet", {"1"}, "processed"), 0x20);
  EXPECT_EQ(m.sampler->cell("softnet", {"2"}, "processed"), nullopt);
  EXPECT_EQ(m.sampler->cell("softnet", {"3"}, "processed"), 0x30);
}

TEST(Softnet, RowsWithoutNumberBelongToTheOnlineCpus) {
  FakeTree tree;
  const TreeRoots roots(tree.root());
  const std::string three = "00000001 0 0\n00000002 0 0\n00000003 0 0\n";
  const std::string two = "00000005 0 0\n00000007 0 0\n";
  tree.write("proc/net/softnet_stat", three);
  tree.write("sys/devices/system/cpu/online", "0-2\n");
  FakeSampler s(roots.roots(), {"softnet"});
  s.tick();
  EXPECT_EQ(s.cell("softnet", {"2"}, "processed"), 3);
  // CPU 1 goes: rows shift up, and its row must not become CPU 2's.
  tree.write("proc/net/softnet_stat", two);
  tree.write("sys/devices/system/cpu/online", "0,2\n");
  s.tick();
  EXPECT_EQ(s.delta("softnet", {"0"}, "processed").value, 4U);
  EXPECT_EQ(s.cell("softnet", {"1"}, "processed"), nullopt);
  EXPECT_EQ(s.delta("softnet", {"2"}, "processed").value, 4U);
  // A tick in which both disagree can not be told apart by CPU.
  tree.write("proc/net/softnet_stat", three);
  s.tick();
  EXPECT_EQ(s.status("softnet"), ReadStatus::failed);
  EXPECT_FALSE(s.has_table("softnet"));
}

TEST(Softnet, WrapsAt32BitsAndResetsBeyond) {
  IrqMachine m("softnet", "net/softnet_stat", "fffffff0 0 fffffff0\n");
  m.next("00000010 0 90000000\n");
  EXPECT_EQ(m.sampler->delta("softnet", {"0"}, "processed").kind, DeltaKind::wrap);
  EXPECT_EQ(m.sampler->delta("softnet", {"0"}, "processed").value, 32U);
  EXPECT_EQ(m.sampler->delta("softnet", {"0"}, "time_squeeze").kind, DeltaKind::reset);
}

TEST(Softnet, TwoColumnsAreNotTheFile) {
  IrqMachine m("softnet", "net/softnet_stat", "000008c5 00000000\n");
  EXPECT_EQ(m.sampler->status("softnet"), ReadStatus::failed);
}

}  // namespace
}  // namespace mikroscope::proc::test
