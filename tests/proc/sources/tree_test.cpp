// Captured trees of four machines through all sources at once: a router (RB5009, kernel 5.6), a virtual
// router on x86-64, a Linux 6 machine with a CPU offline, and one whose files are all damaged.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "fake_machine.h"

namespace mikroscope::proc::test {
namespace {

namespace fs = std::filesystem;

struct Cell {
  const char* table;
  Keys keys;
  const char* column;
  std::int64_t value;
};

struct Captured {
  explicit Captured(const char* name) {
    tree.copy_captured(name);
    sampler.emplace(roots.roots(), std::initializer_list<std::string_view>{}, 4);
    sampler->tick();
  }
  void expect(std::initializer_list<Cell> cells) const {
    for (const Cell& c : cells) {
      std::string where = c.table;
      for (const std::string& key : c.keys) where += "[" + key + "]";
      EXPECT_EQ(sampler->cell(c.table, c.keys, c.column), c.value) << where << "." << c.column;
    }
  }
  // A second reading of the same files: every counter stands still, and nothing was refused.
  void expect_still() {
    sampler->tick();
    EXPECT_TRUE(sampler->resets().empty());
    const FrameView frame = sampler->frame();
    for (std::uint32_t i = 0; i < frame.layout->table_count; ++i) {
      const Table& t = frame.layout->tables[i];
      if (t.schema->table == "self") continue;
      for (std::uint32_t row = 0; row < t.rows; ++row) {
        for (std::uint32_t c = 0; c < t.columns(); ++c) {
          if (t.schema->columns[c].kind != Kind::counter) continue;
          EXPECT_EQ(frame.delta(i, row, c).value, 0U) << t.schema->table;
        }
      }
    }
    EXPECT_EQ(sampler->layout().rows_refused, 0U);
  }
  void expect_absent(std::initializer_list<const char*> sources) const {
    for (const char* name : sources) EXPECT_EQ(sampler->opened(name), ReadStatus::absent) << name;
  }
  FakeTree tree;
  TreeRoots roots{tree.root()};
  std::optional<FakeSampler> sampler;
};

TEST(CapturedTree, Rb5009) {
  Captured m("rb5009");
  m.expect_absent({"psi", "schedstat", "cpuidle", "perf", "zoneinfo"});
  m.expect({
      {"cpu", {"2"}, "softirq", 401233},
      {"cpu_total", {}, "user", 402811},
      {"stat", {}, "ctxt", 1501220477},
      {"stat", {}, "irq_err", 0},
      {"load", {}, "load5", 11},
      {"load", {}, "threads", 151},
      {"softnet", {"3"}, "processed", 0x2b9e17c4},
      {"softnet", {"0"}, "time_squeeze", 190211},
      {"softirq", {"NET_RX", "3"}, "count", 152118723},
      {"irq_cpu", {"38", "switch0", "3"}, "count", 92003838},
      {"irq_cpu", {"38", "switch0", "0"}, "count", 0},
      {"irq_cpu", {"20", "armada8k-pcie, aerdrv", "0"}, "count", 0},
      {"irq_cpu", {"21", "ahci[f2540000.sata]", "1"}, "count", 0},
      {"irq_cpu", {"IPI3", "CPU stop (for crash dump) interrupts", "2"}, "count", 0},
      {"mem", {}, "total_kb", 999956},
      {"mem", {}, "available_kb", 760480},
      {"mem", {}, "swap_total_kb", 0},
      {"vm", {}, "pgalloc", 210007744},
      {"vm_level", {}, "nr_slab_unreclaimable", 9547},
      {"slab", {"nf_conntrack"}, "active", 5312},
      {"slab", {"nf_conntrack"}, "limit", 966656},
      {"slab", {"kmalloc-1k"}, "active", 812},
      {"buddy", {"0", "DMA"}, "order_10", 163},
      {"flash", {"RouterBoard NAND 1 Main"}, "page_writes", 30411},
      {"flash", {"RouterBoard NAND 1 Main"}, "bad_blocks", 1},
      {"flash", {"RouterBoard NAND 1 Boot"}, "ecc_fixed", 2},
      {"thermal", {"cp0-thermal"}, "celsius", 55822},
      {"thermal", {"ap-cpu-thermal"}, "critical_celsius", 105000},
      {"cpufreq", {"3"}, "khz", 350000},
      {"mtd", {"mtd1", "RouterBoard NAND 1 Main"}, "corrected_bits", 3},
      {"self", {}, "cgroup_mem_max", 67108864},
      {"self", {}, "throttled", 0},
  });
  EXPECT_EQ(m.sampler->rows("irq_cpu"), (19U + 7U) * 4U);
  EXPECT_EQ(m.sampler->rows("mtd"), 2U);
  EXPECT_EQ(m.sampler->rows("disk"), 3U);  // mtdblock0 to 2; the unused loop and nbd devices are left out
  EXPECT_EQ(m.sampler->cell("slab", {"dst_cache"}, "active"), std::nullopt);
  EXPECT_EQ(m.sampler->cadence("thermal").every_s, 1U);
  EXPECT_EQ(m.sampler->cadence("cpufreq").reason, "policy");
  // Namespaced files are never read as the router's.
  for (const std::string& path : m.sampler->paths()) {
    EXPECT_EQ(path.find("net/dev"), std::string::npos);
    EXPECT_EQ(path.find("nf_conntrack_count"), std::string::npos);
  }
  m.expect_still();
}

TEST(CapturedTree, VirtualRouterOnX86) {
  Captured m("x86-vm");
  m.expect_absent({"psi", "schedstat", "cpuidle", "cpufreq", "thermal", "mtd", "yaffs", "perf"});
  m.expect({
      {"cpu", {"1"}, "steal", 201},
      {"stat", {}, "irq_err", 4},
      {"stat", {}, "irq_mis", 0},
      {"irq_cpu", {"25", "virtio0-input.0", "0"}, "count", 5100221},
      {"irq_cpu", {"PIN", "Posted-interrupt notification event", "1"}, "count", 0},
      {"softnet", {"0"}, "dropped", 2},
      {"disk", {"vda1"}, "read_sectors", 411000},
      {"disk", {"vda"}, "io_s", 6100},
      {"buddy", {"0", "DMA32"}, "order_0", 90},
      {"self", {}, "cgroup_mem", 901120},
      {"self", {}, "throttled_us", 1500},
  });
  EXPECT_EQ(m.sampler->cell("self", "cgroup_mem_max"), std::nullopt);
  EXPECT_EQ(m.sampler->cell("self", "oom_kill"), std::nullopt);
  m.expect_still();
}

TEST(CapturedTree, Linux6WithACpuOffline) {
  Captured m("linux-6");
  m.expect_absent({"yaffs", "mtd", "perf"});
  m.expect({
      {"cpu", {"3"}, "user", 3003},
      {"irq_cpu", {"25", "virtio0-input.0", "3"}, "count", 17},
      {"irq_cpu", {"40", "mlx5_comp40@pci:0000:86:00.0", "1"}, "count", 8},
      {"softirq", {"TIMER", "2"}, "count", 2000003 + 38},  // possible, though offline
      {"softnet", {"3"}, "processed", 0x4000},
      {"softnet", {"3"}, "backlog", 6},
      {"softnet", {"1"}, "process_qlen", 1},
      {"sched", {"3"}, "wait_ns", 3000000003},
      {"cpuidle", {"3", "C6"}, "residency_us", 77000103},
      {"psi", {}, "cpu_some_us", 5100220},
      {"psi", {}, "irq_full_us", 40055},
      {"vm", {}, "allocstall", 4},
      {"vm", {}, "pgalloc", 9800310},
      {"zone", {"0", "Normal"}, "free", 510022},
      {"zone", {"0", "Normal"}, "high", 13501},
      {"zone", {"0", "DMA"}, "managed", 3840},
      {"disk", {"nvme0n1"}, "inflight", 1},
      {"disk", {"zram0"}, "reads", 0},
      {"thermal", {"acpitz"}, "celsius", 27800},
      {"thermal", {"acpitz:1"}, "celsius", 29800},
      {"thermal", {"x86_pkg_temp"}, "celsius", -1000},
      {"cpufreq", {"3"}, "khz", 2400003},
      {"self", {}, "cgroup_mem", 2000000},
      {"self", {}, "throttled", 1},
  });
  for (const char* table : {"cpu", "softnet", "sched", "cpufreq"})
    EXPECT_EQ(m.sampler->rows(table), 3U) << table;
  EXPECT_EQ(m.sampler->cell("thermal", {"x86_pkg_temp"}, "critical_celsius"), std::nullopt);
  EXPECT_EQ(m.sampler->cell("self", "cgroup_mem_max"), std::nullopt);
  m.expect_still();
}

TEST(CapturedTree, HostileFilesGiveWhatIsSoundAndNothingElse) {
  Captured m("hostile");
  m.expect_absent({"cpufreq", "thermal", "perf"});
  m.expect({
      {"cpu", {"1"}, "idle", 1},
      {"stat", {}, "forks", 12},
      {"stat", {}, "irq_mis", 3},
      {"irq_cpu", {"8", "", "1"}, "count", 9},
      {"softirq", {"NET_RX", "1"}, "count", 6},
      {"mem", {}, "buffers_kb", 4},
      {"mem", {}, "dirty_kb", 7},
      {"vm", {}, "pgfault", 3},
      {"disk", {"sdd"}, "writes", 3},
      {"slab", {"kmalloc-1k"}, "active", 12},
      {"buddy", {"0", "Normal"}, "free_pages", 14},
      {"zone", {"0", "Normal"}, "free", 7},
  });
  EXPECT_EQ(m.sampler->rows_ever("cpu"), 1U);
  EXPECT_EQ(m.sampler->cell("cpu", {"2"}, "user"), std::nullopt);
  EXPECT_EQ(m.sampler->rows("disk"), 1U);
  EXPECT_EQ(m.sampler->rows("slab"), 1U);
  EXPECT_EQ(m.sampler->rows("zone"), 1U);
  for (const char* table : {"cpu_total", "load", "psi", "sched", "mtd", "cpuidle"}) {
    EXPECT_FALSE(m.sampler->has_table(table)) << table;
  }
  for (const char* column : {"ctxt", "intr", "irq_err"})
    EXPECT_EQ(m.sampler->cell("stat", column), std::nullopt) << column;
  for (const char* column : {"total_kb", "free_kb", "cached_kb"})
    EXPECT_EQ(m.sampler->cell("mem", column), std::nullopt) << column;
  EXPECT_EQ(m.sampler->cell("vm", "pgalloc"), std::nullopt);
  EXPECT_EQ(m.sampler->cell("slab", {"nf_conntrack"}, "limit"), std::nullopt);
  for (const char* column :
       {"rss", "cgroup_mem", "cgroup_mem_max", "throttled", "throttled_us", "oom_kill"}) {
    EXPECT_EQ(m.sampler->cell("self", column), std::nullopt) << column;
  }
  EXPECT_TRUE(m.sampler->events().empty());
  m.expect_still();
}

std::string content(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

// Every file of every tree, cut at many places and with single bytes changed, under sources that have already
// learned the sound one: nothing crashes, nothing is refused for want of room, and the sound file is
// understood again.
TEST(CapturedTree, DamageOfEveryFileDoesNoLastingHarm) {
  for (const char* name : {"rb5009", "linux-6"}) {
    Captured m(name);
    std::vector<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(m.tree.root() + "/proc")) {
      if (entry.is_regular_file()) files.push_back(entry.path());
    }
    const std::size_t cpus = m.sampler->rows("cpu");
    for (const fs::path& file : files) {
      const std::string relative = fs::relative(file, m.tree.root()).string();
      const std::string sound = content(file);
      for (std::size_t i = 0; i < 12; ++i) {
        m.tree.write(relative, sound.substr(0, sound.size() * i / 12));
        m.sampler->tick(100'000'000, i % 3 == 0);
        std::string changed = sound;
        if (!changed.empty()) changed[changed.size() * i / 12] = "\n 9:\0-x"[i % 7];
        m.tree.write(relative, changed);
        m.sampler->tick();
      }
      m.tree.write(relative, sound);
      m.sampler->reopen();
      m.sampler->tick(61'000'000'000);
    }
    EXPECT_EQ(m.sampler->rows("cpu"), cpus) << name;
    for (const char* source :
         {"stat", "interrupts", "softirqs", "softnet", "meminfo", "vmstat", "diskstats", "slabinfo"}) {
      EXPECT_EQ(m.sampler->status(source), ReadStatus::ok) << name << " " << source;
    }
  }
}

}  // namespace
}  // namespace mikroscope::proc::test
