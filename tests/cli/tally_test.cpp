#include <gtest/gtest.h>

#include "plot/recording_tally.h"

namespace mikroscope::plot {
namespace {

constexpr std::int64_t kTick = 100'000'000;

proc::TickHeader head(std::uint64_t seq, std::int64_t boot_ticks, std::int64_t wall_ns = 0) {
  return {seq, boot_ticks * kTick, wall_ns != 0 ? wall_ns : boot_ticks * kTick + 5, kTick};
}

TEST(Tally, GapsAnnouncedOrNot) {
  RecordingTally t;
  EXPECT_FALSE(t.frame(head(1, 1)).gap);
  t.gap({2, 3});
  const auto after = t.frame(head(4, 4));
  ASSERT_TRUE(after.gap);
  EXPECT_TRUE(after.gap_was_announced);
  EXPECT_EQ(after.gap->after_boot_ns, 1 * kTick);
  EXPECT_EQ(after.gap->before_boot_ns, 4 * kTick);
  const auto silent = t.frame(head(7, 7));
  ASSERT_TRUE(silent.gap);
  EXPECT_FALSE(silent.gap_was_announced);
  EXPECT_EQ(silent.gap->from, 5U);
  EXPECT_EQ(silent.gap->to, 6U);
  EXPECT_EQ(t.lost(), 4U);
  EXPECT_EQ(t.samples(), 3U);
}

TEST(Tally, RepeatedSamplesCountOnce) {
  RecordingTally t;
  t.frame(head(5, 5));
  EXPECT_TRUE(t.frame(head(5, 5)).repeated);
  EXPECT_TRUE(t.frame(head(4, 4)).repeated);
  EXPECT_EQ(t.samples(), 1U);
}

TEST(Tally, ARestartToldTwiceIsOne) {
  RecordingTally t;
  t.instance("a");
  t.frame(head(5, 5));
  t.restart({"b", "a", false});
  t.restart({"b", "a", false});
  EXPECT_TRUE(t.frame(head(1, 9)).after_restart);
  EXPECT_FALSE(t.frame(head(2, 10)).after_restart);
  EXPECT_EQ(t.restarts(), 1U);
  ASSERT_EQ(t.segments().size(), 2U);
  EXPECT_EQ(t.segments()[0].instance, "a");
  EXPECT_EQ(t.segments()[1].instance, "b");
}

TEST(Tally, ClockStepsAboveFiftyMilliseconds) {
  RecordingTally t;
  t.frame(head(1, 1, 1'000'000'000));
  EXPECT_FALSE(
      t.frame(head(2, 2, 1'000'000'000 + kTick + 50'000'000)).clock_step_ns);  // exactly 50 ms is none
  EXPECT_EQ(t.frame(head(3, 3, 1'000'000'000 + 2 * kTick + 50'000'000 - 51'000'000'000)).clock_step_ns,
            -51'000'000'000);
  // Over a reboot the two clocks do not compare.
  t.restart({"b", "a", true});
  EXPECT_FALSE(t.frame(head(1, 1, 999'000'000'000)).clock_step_ns);
  EXPECT_EQ(t.clock_steps(), 1U);
}

}  // namespace
}  // namespace mikroscope::plot
