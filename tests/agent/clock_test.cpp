// Stamps and steps of clocks, as pure functions.

#include <gtest/gtest.h>

#include "agent/sampler.h"
#include "agent/tick_clock.h"

namespace mikroscope::agent {
namespace {

constexpr std::int64_t kTick = 100'000'000;
constexpr std::int64_t kWall = 1'789'000'000'000'000'000;

TEST(TickClock, IntervalsComeFromTheMonotonicClock) {
  TickClock clock;
  clock.move_on({1000, 5, kWall});
  // The wall clock went back 51 s: the interval is still what passed.
  const ClockReading now{1000 + kTick, 5, kWall + kTick - 51'000'000'000};
  const proc::TickHeader head = clock.stamp(7, now);
  EXPECT_EQ(head.seq, 7u);
  EXPECT_EQ(head.dt_ns, kTick);
  EXPECT_EQ(head.boot_ns, 1005 + kTick);
  EXPECT_EQ(head.wall_ns, kWall + kTick - 51'000'000'000);
  EXPECT_EQ(clock.wall_step(now), -51'000'000'000);
}

TEST(TickClock, StepsForwardAndFrom1970) {
  TickClock clock;
  clock.move_on({1000, 0, 0});
  EXPECT_EQ(clock.wall_step({1000 + kTick, 0, kTick + 3'600'000'000'000}), 3'600'000'000'000);
  EXPECT_EQ(clock.wall_step({1000 + kTick, 0, kTick + kWall}), kWall);
}

TEST(TickClock, SlewingIsNoStep) {
  TickClock clock;
  clock.move_on({1000, 0, kWall});
  EXPECT_EQ(clock.wall_step({1000 + kTick, 0, kWall + kTick + kTick / 2000}), 0);
  EXPECT_EQ(clock.wall_step({1000 + kTick, 0, kWall + kTick - 49'999'999}), 0);
}

TEST(TickClock, SleepIsNoWallStep) {
  TickClock clock;
  clock.move_on({1000, 0, kWall});
  EXPECT_EQ(clock.wall_step({1000 + kTick, 9 * kTick, kWall + 10 * kTick}), 0);
}

TEST(TickClock, AMonotonicClockThatGoesBackGivesNoInterval) {
  TickClock clock;
  EXPECT_EQ(clock.stamp(0, {5000, 0, 1}).dt_ns, 0);  // nothing came before
  clock.move_on({5000, 0, 1});
  EXPECT_EQ(clock.stamp(1, {4000, 0, 2}).dt_ns, 0);
}

TEST(Cadence, PeriodsInTicks) {
  const auto period = [](std::uint32_t max_hz, std::uint32_t every_s, std::uint32_t rate,
                         std::uint32_t floor) {
    proc::Cadence c{max_hz, every_s, "budget"};
    return period_of(c, rate, floor);
  };
  EXPECT_EQ(period(0, 0, 10, 0), 1u);
  EXPECT_EQ(period(1, 0, 10, 0), 10u);
  EXPECT_EQ(period(1, 0, 100, 0), 100u);
  EXPECT_EQ(period(6, 0, 10, 0), 2u);
  EXPECT_EQ(period(6, 0, 100, 0), 17u);
  EXPECT_EQ(period(20, 0, 10, 0), 1u);
  EXPECT_EQ(period(3, 0, 10, 0), 4u);  // never more often than asked
  EXPECT_EQ(period(0, 10, 10, 0), 100u);
  EXPECT_EQ(period(1, 0, 100, 50), 2u);
  EXPECT_EQ(period(0, 10, 100, 100), 1u);
  EXPECT_EQ(period(0, 0, 100, 5), 1u);  // counters are never floored
}

TEST(Histogram, CountsIntoItsClasses) {
  Histogram h;
  h.add(2000);
  h.add(2001);
  h.add(200'000'000);
  EXPECT_EQ(h.counts[0], 1u);
  EXPECT_EQ(h.counts[1], 1u);
  EXPECT_EQ(h.counts[std::size(kDurationBounds_us)], 1u);
  EXPECT_EQ(h.most_ns, 200'000'000);
}

}  // namespace
}  // namespace mikroscope::agent
