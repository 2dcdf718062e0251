#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sinks/stores/graphite_seconds.h"
#include "tests/sinks/stores/metric_events.h"

namespace mikroscope::sinks {
namespace {

using test::cpu_sample;
using testing::HasSubstr;
using testing::Not;

// kStart is the beginning of a second: samples 0 to 9 are one second, 10 begins the next.
std::vector<model::Event> second(int first, int last) {
  std::vector<model::Event> events;
  for (int n = first; n <= last; ++n)
    events.push_back(cpu_sample("router", n, {n, 1, 0, 0, n == 3 ? 0.9 : 0.1, true}));
  return events;
}

TEST(GraphiteNode, KeepsWhatGraphiteTakes) {
  EXPECT_EQ(graphite_node("ether1_-:9"), "ether1_-:9");
  EXPECT_EQ(graphite_node(""), "none");
  EXPECT_EQ(graphite_node("a.b c/d"), "a_b_c_d");
  EXPECT_EQ(graphite_node("C:\\"), "C:_");
  EXPECT_EQ(graphite_node("\xE4"), "_");
  EXPECT_EQ(graphite_node(std::string("a\0b", 3)), "a_b");
}

TEST(GraphiteSeconds, AddsUpDifferencesAndKeepsTheLastLevel) {
  GraphiteSeconds seconds("mikroscope.");
  std::string lines;
  seconds.take(second(0, 9), 0, lines);
  EXPECT_EQ(lines, "");  // the second may go on
  seconds.take(second(10, 10), 0, lines);
  EXPECT_EQ(lines,
            "mikroscope.router.cpu.0.busy_ratio 0.1 1789000000\n"
            "mikroscope.router.cpu.0.busy_ratio.max 0.9 1789000000\n"
            "mikroscope.router.cpu.0.idle 10 1789000000\n"
            "mikroscope.router.cpu.0.user 45 1789000000\n");  // 0 + 1 + … + 9
}

// A start in the middle of a second does not know its sums.
TEST(GraphiteSeconds, LeavesOutHalfASum) {
  GraphiteSeconds seconds("");
  std::string lines;
  seconds.take(second(4, 20), 0, lines);
  EXPECT_THAT(lines, HasSubstr("router.cpu.0.busy_ratio 0.1 1789000000\n"));
  EXPECT_THAT(lines, Not(HasSubstr("router.cpu.0.user 39 1789000000\n")));
  EXPECT_THAT(lines, Not(HasSubstr("user 3 1789000000")));
  EXPECT_THAT(lines, HasSubstr("router.cpu.0.user 145 1789000001\n"));  // 10 + … + 19
}

// After a restart with its rewind the seconds are what they would have been.
TEST(GraphiteSeconds, SumsTheSameAgainAfterARewind) {
  GraphiteSeconds before(""), after("");
  std::string once, again;
  before.take(second(0, 30), 0, once);
  after.take(second(3, 30), 0, again);
  const auto from = [](const std::string& text) {
    return text.substr(text.find("router.cpu.0.busy_ratio 0.1 1789000001"));
  };
  EXPECT_EQ(from(once), from(again));
}

TEST(GraphiteSeconds, TakesBackWhatWasNotSent) {
  GraphiteSeconds seconds("");
  std::string lines, once, again;
  seconds.take(second(0, 4), 0, lines);
  seconds.commit();
  seconds.take(second(5, 12), 0, once);
  seconds.roll_back();
  seconds.take(second(5, 12), 0, again);
  EXPECT_EQ(once, again);
  EXPECT_THAT(once, HasSubstr("router.cpu.0.user 45 1789000000\n"));
}

TEST(GraphiteSeconds, ClosesWhatNothingComesOfAnyMore) {
  GraphiteSeconds seconds("");
  std::string lines;
  seconds.take(second(0, 5), 100, lines);
  seconds.close_older(99, lines);
  EXPECT_EQ(lines, "");
  seconds.close_older(100, lines);
  EXPECT_THAT(lines, HasSubstr("router.cpu.0.user 15 1789000000\n"));
  // What comes late would replace the sum by a part of it.
  std::string late;
  seconds.take(second(6, 10), 200, late);
  EXPECT_THAT(late, Not(HasSubstr("user")));
  EXPECT_THAT(late, HasSubstr("busy_ratio 0.1 1789000000\n"));
}

TEST(GraphiteSeconds, CountsLogsAndLeavesTextsOut) {
  const auto origin = std::make_shared<const model::Origin>(model::Origin{"router", "one", "boot"});
  GraphiteSeconds seconds("m.");
  std::string lines;
  model::EventBuilder builder(model::EventKind::log, origin, test::kStart);
  builder.row(test::kernel("event"), {"812"}).integer("level", 4).text("message", "x");
  builder.row(test::kernel("kmsg"), {"warn", "ether2", "other", "NAS", ""}).integer("count", 2);
  const std::vector<model::Event> events = {builder.finish()};
  seconds.take(events, 0, lines);
  seconds.take(events, 0, lines);
  seconds.close_older(0, lines);
  EXPECT_EQ(lines, "m.router.kmsg.warn.ether2.other.count 4 1789000000\n");
}

TEST(GraphiteSeconds, TakesHostileNames) {
  GraphiteSeconds seconds("m.");
  std::string lines;
  for (const std::string& host : test::hostile_names())
    seconds.take(std::vector<model::Event>{test::hostile_event(host)}, 0, lines);
  seconds.close_older(0, lines);
  EXPECT_THAT(lines, HasSubstr("m.none.novel.a_b_c_d.size_kb 2 1789000000\n"));
  std::size_t at = 0;
  while (at < lines.size()) {
    const std::string line = lines.substr(at, lines.find('\n', at) - at);
    at += line.size() + 1;
    EXPECT_EQ(std::count(line.begin(), line.end(), ' '), 2) << line;
    for (const char c : line) EXPECT_TRUE(c > 31 && c < 127) << line;
  }
}

}  // namespace
}  // namespace mikroscope::sinks
