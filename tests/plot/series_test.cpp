#include "plot/series.h"

#include <gtest/gtest.h>

#include <cmath>

#include "plot/chips.h"
#include "plot/collect.h"
#include "plot/lines.h"
#include "plot/svg_text.h"
#include "plot/timeline.h"

namespace mikroscope::plot {
namespace {

constexpr std::int64_t kMs = 1'000'000;

Grid grid(std::int64_t to_ms, std::uint32_t columns) {
  return {0, to_ms * kMs, columns, 0, to_ms * kMs};
}

TEST(Series, KeepsFirstLeastGreatestLastOfAColumn) {
  Series s(grid(1000, 1), {1, 1});
  int t = 0;
  for (const double v : {5.0, 9.0, 1.0, 4.0}) s.add(100 * kMs * t++, v, 1);
  s.finish();
  const LineColumn& c = s.line()[0];
  EXPECT_EQ(c.first_y, 5);
  EXPECT_EQ(c.high_y, 9);
  EXPECT_EQ(c.low_y, 1);
  EXPECT_EQ(c.last_y, 4);
  EXPECT_EQ(s.highest().value, 9);
  EXPECT_EQ(s.highest().axis_ns, 100 * kMs);
  const Frame2d frame{0, 0, 10, 0, 10};
  EXPECT_EQ(line_path(s, frame, 1), "M0 5l.1-4 .1 8 .1-3");
}

TEST(Series, MeansOfSamplesAndAnIncompleteLastOneIsDropped) {
  Series s(grid(1000, 100), {2, 1});
  int t = 0;
  for (const double v : {2.0, 4.0, 6.0, 8.0, 100.0}) s.add(100 * kMs * t++, v, 1);
  s.finish();
  EXPECT_EQ(s.points(), 2u);
  EXPECT_EQ(s.line_high(), 7);  // (6 + 8) / 2
  EXPECT_EQ(s.last(), 7);
  EXPECT_EQ(s.dropped_samples(), 1u);
  EXPECT_EQ(s.highest().value, 100) << "the peak is of single samples";
  EXPECT_NEAR(s.line()[5].first_x, 5, 1e-3);  // middle of 0 and 100 ms
}

TEST(Series, MeansOfRatesWeighIntervals) {
  Series s(grid(1000, 10), {2, 1});
  s.add(100 * kMs, 10, 0.1);
  s.add(400 * kMs, 2, 0.3);
  s.finish();
  EXPECT_NEAR(s.last(), (10 * 0.1 + 2 * 0.3) / 0.4, 1e-9);
  EXPECT_NEAR(s.mean(), 4, 1e-9);
}

TEST(Series, AMissingValueBreaksTheLine) {
  Series s(grid(1000, 100), {1, 1});
  for (int i = 0; i < 4; ++i) s.add(i * 100 * kMs, 1, 1);
  s.absent();
  s.add(500 * kMs, 1, 1);
  s.finish();
  EXPECT_TRUE(s.line()[50].broken_before);
  EXPECT_FALSE(s.line()[30].broken_before);
  EXPECT_EQ(line_path(s, {0, 0, 10, 0, 2}, 1), "M0 5h30M50 5h0");
}

TEST(Series, ASlowTableIsNoBrokenOne) {
  Series s(grid(5000, 1000), {1, 1});
  for (int frame = 0; frame < 50; ++frame) {
    if (frame % 10 == 3) {
      s.add(frame * 100 * kMs, 40, 1);
    } else {
      s.absent();
    }
  }
  s.finish();
  int breaks = 0;
  for (const LineColumn& c : s.line()) breaks += c.any && c.broken_before ? 1 : 0;
  EXPECT_EQ(breaks, 1) << "only the start";
}

TEST(Series, SlidingMeanFindsAPeakAcrossBins) {
  // 100 Hz: ten samples busy, not aligned to anything.
  Series s(grid(1000, 10), {10, 10});
  for (int i = 0; i < 100; ++i) s.add(i * 10 * kMs, i >= 33 && i < 43 ? 100 : 0, 1);
  s.finish();
  EXPECT_EQ(s.highest().value, 100);
  EXPECT_EQ(s.highest().axis_ns, 420 * kMs);
}

TEST(Collect, ChoosesTheMeanByTheWidth) {
  constexpr std::int64_t kSecond = 1000 * kMs;
  EXPECT_EQ(automatic_smooth(10 * kSecond, 100 * kMs, 1000), 1u);
  EXPECT_EQ(automatic_smooth(60 * kSecond, 100 * kMs, 1000), 2u);      // 600 * 4 / 1000
  EXPECT_EQ(automatic_smooth(3600 * kSecond, 10 * kMs, 1000), 2000u);  // 1440 is not round
  EXPECT_EQ(automatic_smooth(3 * kSecond, 10 * kMs, 1000), 10u) << "100 ms at least";
}

TEST(Spread, MovesBothWaysAndStaysInside) {
  // Eight idle cores at the bottom of a panel from 0 to 128.
  const std::vector<double> at = spread(std::vector<double>(8, 127), 12, 2, 126);
  for (std::size_t i = 0; i < at.size(); ++i) {
    EXPECT_GE(at[i], 2);
    EXPECT_LE(at[i], 126);
    if (i > 0) {
      EXPECT_GE(std::fabs(at[i] - at[i - 1]), 12 - 1e-9);
    }
  }
  EXPECT_EQ(spread({50, 52}, 12, 0, 100), (std::vector<double>{45, 57}));
  EXPECT_EQ(spread({80, 20}, 12, 0, 100), (std::vector<double>{80, 20}));
}

TEST(Timeline, GoesOnOverARebootByWallClock) {
  AxisCursor cursor;
  EXPECT_EQ(cursor.place({1, 1000 * kMs, 5000 * kMs, 100 * kMs}), 0);
  EXPECT_EQ(cursor.place({2, 1100 * kMs, 5100 * kMs, 100 * kMs}), 100 * kMs);
  EXPECT_EQ(cursor.place({1, 20 * kMs, 35100 * kMs, 100 * kMs}), 30100 * kMs);
  EXPECT_EQ(cursor.place({2, 120 * kMs, 35200 * kMs, 100 * kMs}), 30200 * kMs);
  EXPECT_EQ(cursor.epoch(), 1u);
}

TEST(Timeline, RepeatedSamplesAreLeftOut) {
  AxisCursor cursor;
  cursor.place({1, 1000 * kMs, 5000 * kMs, 100 * kMs});
  cursor.place({2, 1100 * kMs, 5100 * kMs, 100 * kMs});
  EXPECT_EQ(cursor.place({1, 1000 * kMs, 5000 * kMs, 100 * kMs}), std::nullopt);
  EXPECT_EQ(cursor.place({2, 1100 * kMs, 5100 * kMs, 100 * kMs}), std::nullopt);
}

TEST(Timeline, AWallClockStepBendsNothing) {
  AxisCursor cursor;
  Timeline timeline;
  for (int i = 0; i < 10; ++i) {
    const std::int64_t wall = 10'000'000 * kMs + i * 100 * kMs - (i >= 5 ? 3'600'000 * kMs : 0);
    const SampleHead head{static_cast<std::uint64_t>(i + 1), i * 100 * kMs, wall, 100 * kMs};
    const auto axis = cursor.place(head);
    ASSERT_EQ(axis, i * 100 * kMs);
    timeline.add(head, *axis, cursor);
  }
  ASSERT_EQ(timeline.clock_steps().size(), 1u);
  EXPECT_EQ(timeline.clock_steps()[0].axis_ns, 500 * kMs);
  EXPECT_EQ(timeline.clock_steps()[0].step_ns, -3'600'000 * kMs);
  EXPECT_EQ(timeline.from_wall(10'000'000 * kMs + 250 * kMs), 250 * kMs);
  EXPECT_EQ(timeline.from_wall(10'000'000 * kMs - 3'600'000 * kMs + 700 * kMs), 700 * kMs);
}

TEST(Chips, NineNotesASecondApartDoNotTouch) {
  std::vector<Mark> marks;
  std::vector<double> xs;
  for (int i = 0; i < 9; ++i) {
    marks.push_back({i * 1000 * kMs, {}, "note", i == 4 ? "ok" : "a note with a rather long label"});
    xs.push_back(70 + 100.0 * i);
  }
  const ChipLayout layout = place_chips(marks, xs, {70, 1082});
  EXPECT_EQ(layout.chips.size(), 9u);
  EXPECT_EQ(layout.without, 0u);
  for (std::size_t i = 0; i < layout.chips.size(); ++i) {
    const Chip& a = layout.chips[i];
    EXPECT_GE(a.x, 70);
    EXPECT_LE(a.x + a.width, 1082);
    for (std::size_t j = 0; j < i; ++j) {
      const Chip& b = layout.chips[j];
      EXPECT_TRUE(a.row != b.row || a.x >= b.x + b.width || b.x >= a.x + a.width) << i << ' ' << j;
    }
  }
  EXPECT_EQ(layout.chips[4].text, "ok");
}

TEST(Chips, MoreThanFitAreCounted) {
  std::vector<Mark> marks(40, Mark{0, {}, "note", "the same place"});
  const ChipLayout layout = place_chips(marks, std::vector<double>(40, 500), {70, 1082});
  EXPECT_EQ(layout.rows, 8);
  EXPECT_EQ(layout.chips.size() + layout.without, 40u);
  EXPECT_GT(layout.without, 0u);
}

}  // namespace
}  // namespace mikroscope::plot
