#include "base/host/size.h"

#include <gtest/gtest.h>

namespace mikroscope::base {
namespace {

TEST(Size, IsReadInUnitsOf1024) {
  EXPECT_EQ(*parse_size("0"), 0U);
  EXPECT_EQ(*parse_size("67108864"), 67108864U);
  EXPECT_EQ(*parse_size("64MiB"), 67108864U);
  EXPECT_EQ(*parse_size("64M"), 67108864U);
  EXPECT_EQ(*parse_size("1.5G"), 1610612736U);
  EXPECT_EQ(*parse_size("2kB"), 2048U);
}

TEST(Size, RefusesWhatIsNone) {
  for (const char* text : {"", "x", "-1", "1X", "1MiBs", "1 M", "nan", "1e30"})
    EXPECT_FALSE(parse_size(text).ok()) << text;
}

}  // namespace
}  // namespace mikroscope::base
