#include "base/host/duration.h"

#include <gtest/gtest.h>

namespace mikroscope::base {
namespace {

constexpr std::int64_t kMs = 1'000'000;

TEST(Duration, ReadsWhatPeopleWrite) {
  const struct {
    const char* text;
    std::int64_t ms;
  } kCases[] = {{"90", 90'000},    {"90s", 90'000},       {"3m", 180'000}, {"1m30s", 90'000},
                {"1h", 3'600'000}, {"1h2m3s", 3'723'000}, {"250ms", 250},  {"12.5s", 12'500},
                {"0.5", 500},      {"1.5m", 90'000},      {" 7s ", 7'000}, {"1s500ms", 1'500},
                {"5min", 300'000}, {".5s", 500}};
  for (const auto& c : kCases) {
    const Result<std::int64_t> ns = parse_duration(c.text);
    ASSERT_TRUE(ns.ok()) << c.text;
    EXPECT_EQ(*ns, c.ms * kMs) << c.text;
  }
}

TEST(Duration, RefusesTheRestWithAnExample) {
  for (const char* text : {"", "s", "5x", "-5s", "+5s", "1s1m", "1m1m", "1m30", "1..5s", ".", "99999999h",
                           "5 s", "1e3", "99999999999999999999"}) {
    const Result<std::int64_t> ns = parse_duration(text);
    ASSERT_FALSE(ns.ok()) << text;
    EXPECT_EQ(ns.error().exit, Exit::usage);
    EXPECT_NE(ns.error().fix.find("1m30s"), std::string::npos);
  }
}

TEST(Duration, WritesTheShortestForm) {
  EXPECT_EQ(format_duration(0), "0s");
  EXPECT_EQ(format_duration(90'000 * kMs), "1m30s");
  EXPECT_EQ(format_duration(3'600'000 * kMs), "1h");
  EXPECT_EQ(format_duration(12'500 * kMs), "12.5s");
  EXPECT_EQ(format_duration(-3'600'000 * kMs), "-1h");
  EXPECT_EQ(format_duration(59'999'999'999),
            "1m");  // half a millisecond rounds up before the parts are taken
  EXPECT_EQ(format_clock(75'900 * kMs), "1:15");
  EXPECT_EQ(format_clock(3'661'000 * kMs), "1:01:01");
}

}  // namespace
}  // namespace mikroscope::base
