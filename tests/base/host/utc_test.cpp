#include "base/host/utc.h"

#include <gtest/gtest.h>

namespace mikroscope::base {
namespace {

constexpr std::int64_t kS = 1'000'000'000;

TEST(Utc, WritesInstants) {
  EXPECT_EQ(format_utc(0, 0), "1970-01-01T00:00:00Z");
  EXPECT_EQ(format_utc(1'789'153'461 * kS + 734'567'890, 9), "2026-09-11T19:04:21.734567890Z");
  EXPECT_EQ(format_utc(951'782'400 * kS, 3), "2000-02-29T00:00:00.000Z");
  EXPECT_EQ(format_utc(-1, 9), "1969-12-31T23:59:59.999999999Z");
  EXPECT_EQ(format_utc_compact(1'789'153'461 * kS), "20260911T190421Z");
}

TEST(Utc, ReadsRfc3339) {
  const struct {
    const char* text;
    std::int64_t ns;
  } kCases[] = {
      {"1970-01-01T00:00:00Z", 0},
      {"2026-09-11T19:04:21.734567890Z", 1'789'153'461 * kS + 734'567'890},
      {"2026-09-11 19:04:21", 1'789'153'461 * kS},
      {"2026-09-11T21:04:21+02:00", 1'789'153'461 * kS},
      {"2026-09-11T14:34:21.5-0430", 1'789'153'461 * kS + kS / 2},
      {"2000-02-29T00:00:00Z", 951'782'400 * kS},
  };
  for (const auto& c : kCases) {
    const Result<std::int64_t> ns = parse_rfc3339(c.text);
    ASSERT_TRUE(ns.ok()) << c.text;
    EXPECT_EQ(*ns, c.ns) << c.text;
  }
  for (const char* text : {"", "2026-09-11", "2026-13-01T00:00:00Z", "2026-02-29T00:00:00Z",
                           "2026-09-11T24:00:00Z", "2026-09-11T19:04:21.Z", "2026-09-11T19:04:21Zx",
                           "2026-9-11T19:04:21Z", "2026-09-11T19:04:21+25:00"}) {
    EXPECT_FALSE(parse_rfc3339(text).ok()) << text;
  }
}

TEST(Utc, ReadsTimesOfDay) {
  std::int64_t ns = 0;
  ASSERT_TRUE(parse_time_of_day("14:03:20.25", ns));
  EXPECT_EQ(ns, (14 * 3600 + 3 * 60 + 20) * kS + kS / 4);
  for (const char* text : {"14:03", "24:00:00", "14:60:00", "14:03:20Z", "1:03:20", "14:03:20."}) {
    EXPECT_FALSE(parse_time_of_day(text, ns)) << text;
  }
}

}  // namespace
}  // namespace mikroscope::base
