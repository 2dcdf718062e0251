// slabinfo and conntrack: the whole file now and then, and one row of it at every tick.
#include <gtest/gtest.h>

#include <string>

#include "fake_machine.h"

namespace mikroscope::proc::test {
namespace {

using std::nullopt;

const std::string kHeader =
    "slabinfo - version: 2.1\n"
    "# name            <active_objs> <num_objs> <objsize> <objperslab> <pagesperslab> : tunables\n";
std::string row(const std::string& name, int active) {
  return name + "  " + std::to_string(active) + "   8075    320   12    1 : tunables    0    0    0\n";
}

struct SlabMachine {
  explicit SlabMachine(const std::string& text, std::initializer_list<std::string_view> sources) {
    tree.write("proc/slabinfo", text);
    tree.write("proc/sys/net/netfilter/nf_conntrack_max", "966656\n");
    sampler.emplace(roots.roots(), sources);
    sampler->tick();
  }
  void next(const std::string& text, std::int64_t step = 100'000'000) {
    tree.write("proc/slabinfo", text);
    sampler->tick(step);
  }
  std::optional<std::int64_t> connections() const {
    return sampler->cell("slab", {"nf_conntrack"}, "active");
  }
  FakeTree tree;
  TreeRoots roots{tree.root()};
  std::optional<FakeSampler> sampler;
};

TEST(Slabinfo, ReadsTheNamedCachesOnly) {
  SlabMachine m(kHeader + row("ext4_inode_cache", 9) + row("nf_conntrack", 6582) +
                    row("nf_conntrack_expect", 5) + row("TCP", 12) + row("TCPv6", 3) + row("kmalloc-1k", 77) +
                    row("kmalloc-1k-extra", 1),
                {"slabinfo"});
  EXPECT_EQ(m.connections(), 6582);
  EXPECT_EQ(m.sampler->cell("slab", {"nf_conntrack"}, "limit"), 966656);
  EXPECT_EQ(m.sampler->cell("slab", {"TCP"}, "active"), 12);
  EXPECT_EQ(m.sampler->cell("slab", {"TCPv6"}, "active"), 3);
  EXPECT_EQ(m.sampler->cell("slab", {"TCP"}, "limit"), nullopt);
  EXPECT_EQ(m.sampler->cell("slab", {"kmalloc-1k"}, "active"), 77);
  EXPECT_EQ(m.sampler->cell("slab", {"kmalloc-2k"}, "active"), nullopt);
  EXPECT_EQ(m.sampler->rows_ever("slab"), 4U);
  EXPECT_EQ(m.sampler->cadence("slabinfo").max_hz, 1U);
  EXPECT_EQ(m.sampler->cadence("slabinfo").reason, "budget");
}

TEST(Slabinfo, AnotherFileIsNotUnderstood) {
  SlabMachine m("nf_conntrack 5 6\n", {"slabinfo"});
  EXPECT_EQ(m.sampler->status("slabinfo"), ReadStatus::failed);
  EXPECT_FALSE(m.sampler->has_table("slab"));
}

TEST(Conntrack, FollowsTheRowWhereverItMoves) {
  SlabMachine m(kHeader + row("aaa", 5) + row("nf_conntrack", 100) + row("zzz", 1), {"conntrack"});
  EXPECT_EQ(m.connections(), 100);
  EXPECT_EQ(m.sampler->cell("slab", {"nf_conntrack"}, "limit"), 966656);
  m.next(kHeader + row("aaa", 6) + row("nf_conntrack", 101) + row("zzz", 1));
  EXPECT_EQ(m.connections(), 101);
  m.next(kHeader + row("aaa", 1234567) + row("nf_conntrack", 102) + row("zzz", 1));  // further back
  EXPECT_EQ(m.connections(), 102);
  m.next(kHeader + row("nf_conntrack", 103) + row("zzz", 1));  // further to the front
  EXPECT_EQ(m.connections(), 103);
  m.next(kHeader + row("nf_conntrack_expect", 9) + row("nf_conntrack", 1040000) + row("zzz", 1));
  EXPECT_EQ(m.connections(), 1040000);
  m.next(kHeader + row("zzz", 1) + row("nf_conntrack", 7));
  EXPECT_EQ(m.connections(), 7);
}

// The read stops behind the row: what is written after that is not even looked at.
TEST(Conntrack, ARowThatIsCutOffIsNotRead) {
  SlabMachine m(kHeader + row("nf_conntrack", 100) + row("zzz", 1), {"conntrack"});
  m.next(kHeader + "nf_conntrack  77");
  EXPECT_EQ(m.connections(), nullopt);
}

TEST(Conntrack, GoneAndBack) {
  SlabMachine m(kHeader + row("nf_conntrack", 100), {"conntrack"});
  m.next(kHeader + row("other", 1));
  EXPECT_EQ(m.sampler->status("conntrack"), ReadStatus::absent);
  EXPECT_FALSE(m.sampler->has_table("slab"));
  m.tree.write("proc/slabinfo", kHeader + row("nf_conntrack", 50));
  m.sampler->reopen();
  m.sampler->tick();
  EXPECT_EQ(m.connections(), 50);
}

TEST(Conntrack, NotLoadedIsAbsent) {
  FakeTree tree;
  const TreeRoots roots(tree.root());
  tree.write("proc/slabinfo", kHeader + row("other", 1));
  FakeSampler s(roots.roots(), {"conntrack"});
  EXPECT_EQ(s.opened("conntrack"), ReadStatus::absent);
}

TEST(Conntrack, TheLimitIsReadAgainOnceAMinute) {
  const std::string text = kHeader + row("nf_conntrack", 100);
  SlabMachine m(text, {"conntrack"});
  m.tree.write("proc/sys/net/netfilter/nf_conntrack_max", "1000\n");
  m.next(text, 30'000'000'000);
  EXPECT_EQ(m.sampler->cell("slab", {"nf_conntrack"}, "limit"), 966656);
  m.next(text, 31'000'000'000);
  EXPECT_EQ(m.sampler->cell("slab", {"nf_conntrack"}, "limit"), 1000);
  m.tree.remove("proc/sys/net/netfilter/nf_conntrack_max");
  m.next(text, 61'000'000'000);
  EXPECT_EQ(m.sampler->cell("slab", {"nf_conntrack"}, "limit"), nullopt);
}

}  // namespace
}  // namespace mikroscope::proc::test
