#include "routeros/session/version.h"

#include <gtest/gtest.h>

namespace mikroscope::routeros {
namespace {

using Stage = Version::Stage;

Version parsed(std::string_view text) {
  const auto version = parse_version(text);
  EXPECT_TRUE(version.has_value()) << text;
  return version.value_or(Version{});
}

TEST(Version, ReadsWhatRoutersReport) {
  EXPECT_EQ(parsed("7.24.2 (stable)"), (Version{7, 24, 2, Stage::release, 0}));
  EXPECT_EQ(parsed("7.25rc1 (testing)"), (Version{7, 25, 0, Stage::rc, 1}));
  EXPECT_EQ(parsed("7.1beta4 (development)"), (Version{7, 1, 0, Stage::beta, 4}));
  EXPECT_EQ(parsed("6.49.10 (long-term)"), (Version{6, 49, 10, Stage::release, 0}));
  EXPECT_EQ(parsed("7.24"), (Version{7, 24, 0, Stage::release, 0}));
  EXPECT_EQ(parsed("7.1alpha12"), (Version{7, 1, 0, Stage::alpha, 12}));
  EXPECT_EQ(parsed("7.23.1rc2"), (Version{7, 23, 1, Stage::rc, 2}));
}

TEST(Version, RefusesWhatIsNone) {
  for (const char* text :
       {"", "7", "7.", "seven", ".24", "v7.24", "7.x", "7.24.", "7.24.x", "70000.1", "-7.1"})
    EXPECT_EQ(parse_version(text), std::nullopt) << text;
}

TEST(Version, OrdersPreReleasesBeforeTheirRelease) {
  const char* const rising[] = {"6.49.10", "7.9",       "7.20",      "7.21.2",  "7.23",
                                "7.23.2",  "7.24beta1", "7.24beta2", "7.24rc1", "7.24rc2",
                                "7.24",    "7.24.2",    "7.25beta1"};
  for (std::size_t i = 0; i + 1 < std::size(rising); ++i)
    EXPECT_LT(parsed(rising[i]), parsed(rising[i + 1])) << rising[i];
}

TEST(Version, WritesItAgainWithoutItsChannel) {
  EXPECT_EQ(format_version(parsed("7.24.2 (stable)")), "7.24.2");
  EXPECT_EQ(format_version(parsed("7.24 (stable)")), "7.24");
  EXPECT_EQ(format_version(parsed("7.25rc1 (testing)")), "7.25rc1");
  EXPECT_EQ(format_version(parsed("7.1beta4")), "7.1beta4");
}

}  // namespace
}  // namespace mikroscope::routeros
