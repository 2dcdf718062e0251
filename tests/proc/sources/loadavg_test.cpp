#include <gtest/gtest.h>

#include "fake_machine.h"

namespace mikroscope::proc::test {
namespace {

TEST(Loadavg, ReadsAveragesInHundredthsAndThreads) {
  FakeTree tree;
  tree.write("proc/loadavg", "0.01 1.26 31.09 2/153 41\n");
  const TreeRoots roots(tree.root());
  FakeSampler s(roots.roots(), {"loadavg"});
  s.tick();
  EXPECT_EQ(s.cell("load", "load1"), 1);
  EXPECT_EQ(s.cell("load", "load5"), 126);
  EXPECT_EQ(s.cell("load", "load15"), 3109);
  EXPECT_EQ(s.cell("load", "running"), 2);
  EXPECT_EQ(s.cell("load", "threads"), 153);
}

TEST(Loadavg, TwoAveragesAreNotTheFile) {
  FakeTree tree;
  tree.write("proc/loadavg", "0.01 0.06\n");
  const TreeRoots roots(tree.root());
  FakeSampler s(roots.roots(), {"loadavg"});
  s.tick();
  EXPECT_EQ(s.status("loadavg"), ReadStatus::failed);
  EXPECT_FALSE(s.has_table("load"));
}

}  // namespace
}  // namespace mikroscope::proc::test
