#include "proc/delta.h"

#include <gtest/gtest.h>

namespace mikroscope::proc {
namespace {

struct Case {
  const char* what;
  std::uint64_t before, now;
  Width width;
  DeltaKind kind;
  std::uint64_t value;
};

class Difference : public testing::TestWithParam<Case> {};

TEST_P(Difference, IsDecidedByTheRule) {
  const Case& c = GetParam();
  const Delta d = difference(c.before, c.now, c.width);
  EXPECT_EQ(delta_kind_name(d.kind), delta_kind_name(c.kind)) << c.what;
  EXPECT_EQ(d.has_value() ? d.value : 0, c.value) << c.what;
}

constexpr std::uint64_t k32 = 0x100000000;
INSTANTIATE_TEST_SUITE_P(
    Cases, Difference,
    testing::Values(
        Case{"unchanged", 5, 5, Width::bits64, DeltaKind::normal, 0},
        Case{"grows", 5, 12, Width::bits64, DeltaKind::normal, 7},
        Case{"iowait goes back a little", 1000, 998, Width::bits64, DeltaKind::backward, 0},
        Case{"idle goes back by one", 548282, 548281, Width::bits64, DeltaKind::backward, 0},
        Case{"total 100 to 90 is no little step", 100, 90, Width::bits64, DeltaKind::reset, 0},
        Case{"steal falls by 8e8", 4000000000, 3167542567, Width::bits64, DeltaKind::reset, 0},
        Case{"softnet wraps at 32 bits", 0xfffffff0, 0x10, Width::bits32, DeltaKind::wrap, 32},
        Case{"io milliseconds wrap", 4294967000, 500, Width::bits32, DeltaKind::wrap, k32 - 4294967000 + 500},
        Case{"sectors of a device made anew", 900, 3, Width::bits64, DeltaKind::reset, 0},
        Case{"a 32-bit counter that restarts from a low value", 900, 3, Width::bits32, DeltaKind::reset, 0},
        Case{"a drop of more than half the range is no wrap", 0xfffffff0, 0x90000000, Width::bits32,
             DeltaKind::reset, 0},
        Case{"64-bit counters do not wrap at 32", 0xfffffff0, 0x10, Width::bits64, DeltaKind::reset, 0},
        Case{"the whole 64-bit range", 0, UINT64_MAX, Width::bits64, DeltaKind::normal, UINT64_MAX},
        Case{"from the top to nothing", UINT64_MAX, 0, Width::bits64, DeltaKind::reset, 0}));

TEST(Difference, OneBackwardStepCostsOneInterval) {
  // 100, 90, 110: the base is replaced at once, so the next difference is 20 and not a complaint for ever.
  EXPECT_FALSE(difference(100, 90, Width::bits64).has_value());
  const Delta next = difference(90, 110, Width::bits64);
  EXPECT_EQ(next.kind, DeltaKind::normal);
  EXPECT_EQ(next.value, 20U);
}

}  // namespace
}  // namespace mikroscope::proc
