#include "base/host/suggest.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace mikroscope::base {
namespace {

TEST(Suggest, CountsEdits) {
  EXPECT_EQ(edit_distance("", ""), 0U);
  EXPECT_EQ(edit_distance("plot", "plot"), 0U);
  EXPECT_EQ(edit_distance("polt", "plot"), 1U);  // neighbours swapped
  EXPECT_EQ(edit_distance("plott", "plot"), 1U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
}

TEST(Suggest, NamesOnlyWhatIsNear) {
  const std::vector<std::string> verbs{"record", "mark", "plot", "status", "image"};
  EXPECT_EQ(closest("recrod", verbs), "record");
  EXPECT_EQ(closest("stat", verbs), "status");
  EXPECT_EQ(closest("polt", verbs), "plot");
  EXPECT_EQ(closest("frobnicate", verbs), "");
}

}  // namespace
}  // namespace mikroscope::base
