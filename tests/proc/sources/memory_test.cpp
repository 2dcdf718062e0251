// meminfo, vmstat, buddyinfo, zoneinfo: files that are found by name.
#include <gtest/gtest.h>

#include <string>

#include "fake_machine.h"

namespace mikroscope::proc::test {
namespace {

using std::nullopt;

struct Machine1 {
  Machine1(std::string source, std::string file, std::string_view text) : path("proc/" + file) {
    tree.write(path, text);
    sampler.emplace(roots.roots(), std::initializer_list<std::string_view>{source});
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

TEST(Meminfo, ReadsEveryColumn) {
  Machine1 m(
      "meminfo", "meminfo",
      "MemTotal: 1 kB\nMemFree: 2 kB\nMemAvailable: 3 kB\nBuffers: 4 kB\nCached: 5 kB\nSwapCached: 99 kB\n"
      "Active: 6 kB\nInactive: 7 kB\nActive(anon): 99 kB\nSwapTotal: 8 kB\nSwapFree: 9 kB\nDirty: 10 kB\n"
      "Writeback: 11 kB\nAnonPages: 12 kB\nMapped: 13 kB\nShmem: 14 kB\nSlab: 15 kB\nSReclaimable: 16 kB\n"
      "SUnreclaim: 17 kB\nKernelStack: 18 kB\nPageTables: 19 kB\nWritebackTmp: 99 kB\nCommitLimit: 20 kB\n"
      "Committed_AS: 21 kB\nVmallocTotal: 135290290112 kB\n");
  const std::pair<const char*, int> expected[] = {
      {"total_kb", 1},       {"free_kb", 2},          {"available_kb", 3},    {"buffers_kb", 4},
      {"cached_kb", 5},      {"active_kb", 6},        {"inactive_kb", 7},     {"swap_total_kb", 8},
      {"swap_free_kb", 9},   {"dirty_kb", 10},        {"writeback_kb", 11},   {"anon_kb", 12},
      {"mapped_kb", 13},     {"shmem_kb", 14},        {"slab_kb", 15},        {"sreclaimable_kb", 16},
      {"sunreclaim_kb", 17}, {"kernel_stack_kb", 18}, {"page_tables_kb", 19}, {"commit_limit_kb", 20},
      {"committed_kb", 21}};
  for (const auto& [column, value] : expected) EXPECT_EQ(m.sampler->cell("mem", column), value) << column;
  EXPECT_EQ(std::size(expected), m.sampler->layout().tables[m.sampler->layout().find("mem")].columns());
}

TEST(Meminfo, NoMemAvailableIsAbsent) {
  Machine1 m("meminfo", "meminfo", "MemTotal: 500 kB\nMemFree: 20 kB\nBuffers: 3 kB\n");
  EXPECT_EQ(m.sampler->cell("mem", "free_kb"), 20);
  EXPECT_EQ(m.sampler->cell("mem", "available_kb"), nullopt);
}

TEST(Meminfo, ATableInFrontAndOtherLinesAreSkipped) {
  Machine1 m("meminfo", "meminfo",
             "        total:    used:    free:  shared: buffers:  cached:\n"
             "Mem:  260579328 136073216 124506112        0  4620288 66461696\n"
             "Swap:        0        0        0\n\n"
             "MemTotal:       254472 kB\nMemFree: lots\nCached 5 kB\nBuffers:          4512\n");
  EXPECT_EQ(m.sampler->cell("mem", "total_kb"), 254472);
  EXPECT_EQ(m.sampler->cell("mem", "free_kb"), nullopt);
  EXPECT_EQ(m.sampler->cell("mem", "cached_kb"), nullopt);
  EXPECT_EQ(m.sampler->cell("mem", "buffers_kb"), 4512);
}

TEST(Meminfo, PositionsAreVerified) {
  Machine1 m("meminfo", "meminfo", "MemTotal: 1 kB\nMemFree: 2 kB\nDirty: 3 kB\n");
  m.next("MemTotal: 1 kB\nMemFree: 12 kB\nDirty: 13 kB\n");  // by position
  EXPECT_EQ(m.sampler->cell("mem", "dirty_kb"), 13);
  m.next("MemTotal: 1 kB\nZswap: 7 kB\nMemFree: 22 kB\nDirty: 23 kB\n");  // a line came
  EXPECT_EQ(m.sampler->cell("mem", "free_kb"), 22);
  EXPECT_EQ(m.sampler->cell("mem", "dirty_kb"), 23);
  m.next("Dirty: 33 kB\nMemTotal: 1 kB\n");  // order changed, a line went
  EXPECT_EQ(m.sampler->cell("mem", "dirty_kb"), 33);
  EXPECT_EQ(m.sampler->cell("mem", "free_kb"), nullopt);
  m.next("Dirty: 33 kB\nMemTotal: 1 kB\nMemFree: 42 kB\n");  // a line came at the end
  m.sampler->tick(100'000'000, true);
  EXPECT_EQ(m.sampler->cell("mem", "free_kb"), 42);
}

TEST(Meminfo, NothingKnownIsAFailedRead) {
  Machine1 m("meminfo", "meminfo", "hello\n");
  EXPECT_EQ(m.sampler->status("meminfo"), ReadStatus::failed);
  EXPECT_FALSE(m.sampler->has_table("mem"));
}

TEST(Vmstat, ReadsEventsAndLevelsAndSumsZones) {
  Machine1 m(
      "vmstat", "vmstat",
      "nr_free_pages 175250\nnr_slab_reclaimable 3000\nnr_slab_unreclaimable 9500\nnr_dirty 4\nnr_writeback "
      "5\n"
      "pgpgin 1\npswpin 6\npswpout 7\npgalloc_dma 10\npgalloc_dma32 200\npgalloc_normal 3000\n"
      "pgalloc_movable 40000\nallocstall_dma 1\nallocstall_normal 2\nallocstall_movable 3\npgskip_dma 99\n"
      "pgfree 8\npgfault 9\npgmajfault 11\npgsteal_kswapd 12\npgsteal_direct 13\npgscan_kswapd 14\n"
      "pgscan_direct 15\npgscan_direct_throttle 99\noom_kill 16\ncompact_stall 17\n");
  const std::pair<const char*, int> events[] = {
      {"pgfault", 9},         {"pgmajfault", 11},     {"pgscan_kswapd", 14}, {"pgscan_direct", 15},
      {"pgsteal_kswapd", 12}, {"pgsteal_direct", 13}, {"pgalloc", 43210},    {"pgfree", 8},
      {"allocstall", 6},      {"compact_stall", 17},  {"oom_kill", 16},      {"pswpin", 6},
      {"pswpout", 7}};
  for (const auto& [column, value] : events) EXPECT_EQ(m.sampler->cell("vm", column), value) << column;
  EXPECT_EQ(m.sampler->cell("vm_level", "nr_free_pages"), 175250);
  EXPECT_EQ(m.sampler->cell("vm_level", "nr_dirty"), 4);
  EXPECT_EQ(m.sampler->cell("vm_level", "nr_writeback"), 5);
  EXPECT_EQ(m.sampler->cell("vm_level", "nr_slab_reclaimable"), 3000);
  EXPECT_EQ(m.sampler->cell("vm_level", "nr_slab_unreclaimable"), 9500);
}

TEST(Vmstat, OldKernelsCountReclaimPerZoneAndStallsInOne) {
  Machine1 m("vmstat", "vmstat",
             "pgscan_kswapd_dma 1\npgscan_kswapd_normal 20\npgscan_kswapd_movable 300\nallocstall 7\n");
  EXPECT_EQ(m.sampler->cell("vm", "pgscan_kswapd"), 321);
  EXPECT_EQ(m.sampler->cell("vm", "allocstall"), 7);
  EXPECT_EQ(m.sampler->cell("vm", "oom_kill"), nullopt);
  EXPECT_FALSE(m.sampler->has_table("vm_level"));
}

TEST(Vmstat, SumsAreMadeAfreshWhenLinesMove) {
  Machine1 m("vmstat", "vmstat", "pgalloc_dma 1\npgalloc_normal 2\npgfree 5\n");
  m.next("pgalloc_dma 10\nworkingset_nodes 3\npgalloc_normal 20\npgfree 50\n");
  EXPECT_EQ(m.sampler->cell("vm", "pgalloc"), 30);
  EXPECT_EQ(m.sampler->delta("vm", "pgalloc").value, 27U);
  EXPECT_EQ(m.sampler->delta("vm", "pgfree").value, 45U);
}

TEST(Buddyinfo, SumsPagesAndKeepsOrders) {
  Machine1 m(
      "buddyinfo", "buddyinfo",
      "Node 0, zone      DMA      1      2      0      0      0      0      0      0      0      0      3 \n"
      "Node 1, zone   Normal      5\n");
  EXPECT_EQ(m.sampler->cell("buddy", {"0", "DMA"}, "free_pages"), 1 + 2 * 2 + 3 * 1024);
  EXPECT_EQ(m.sampler->cell("buddy", {"0", "DMA"}, "order_1"), 2);
  EXPECT_EQ(m.sampler->cell("buddy", {"0", "DMA"}, "order_10"), 3);
  EXPECT_EQ(m.sampler->cell("buddy", {"1", "Normal"}, "free_pages"), 5);
  EXPECT_EQ(m.sampler->cell("buddy", {"1", "Normal"}, "order_1"), nullopt);
  EXPECT_EQ(m.sampler->cadence("buddyinfo").max_hz, 1U);
  EXPECT_EQ(m.sampler->cadence("buddyinfo").reason, "budget");
}

TEST(Buddyinfo, MoreOrdersThanColumnsCountAsPages) {
  Machine1 m("buddyinfo", "buddyinfo", "Node 0, zone DMA 0 0 0 0 0 0 0 0 0 0 1 0 2\n");
  EXPECT_EQ(m.sampler->cell("buddy", {"0", "DMA"}, "free_pages"), 1024 + 2 * 4096);
}

TEST(Zoneinfo, ReadsFreePagesAndWatermarks) {
  Machine1 m("zoneinfo", "zoneinfo",
             "Node 0, zone      DMA\n"
             "  per-node stats\n"
             "      nr_inactive_anon 1832\n"
             "      min 77\n"
             "  pages free     3840\n"
             "        boost    0\n"
             "        min      46\n"
             "        low      57\n"
             "        high     68\n"
             "        managed  3900\n"
             "        protection: (0, 3018)\n"
             "      nr_free_pages 3840\n"
             "  pagesets\n"
             "    cpu: 0\n"
             "              count:    3\n"
             "              high:     378\n"
             "Node 0, zone   Normal\n"
             "  pages free     12\n"
             "        min      1\n");
  EXPECT_EQ(m.sampler->cell("zone", {"0", "DMA"}, "free"), 3840);
  EXPECT_EQ(m.sampler->cell("zone", {"0", "DMA"}, "min"), 46);
  EXPECT_EQ(m.sampler->cell("zone", {"0", "DMA"}, "low"), 57);
  EXPECT_EQ(m.sampler->cell("zone", {"0", "DMA"}, "high"), 68);
  EXPECT_EQ(m.sampler->cell("zone", {"0", "DMA"}, "managed"), 3900);
  EXPECT_EQ(m.sampler->cell("zone", {"0", "Normal"}, "free"), 12);
  EXPECT_EQ(m.sampler->cell("zone", {"0", "Normal"}, "managed"), nullopt);
}

}  // namespace
}  // namespace mikroscope::proc::test
