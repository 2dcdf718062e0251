#include "routeros/session/row.h"

#include <gtest/gtest.h>

#include "routeros/session/session.h"

namespace mikroscope::routeros {
namespace {

TEST(Row, AbsentIsNotEmpty) {
  const Row row({{".id", "*1A"}, {"comment", ""}});
  EXPECT_EQ(row.find("comment"), "");
  EXPECT_EQ(row.find("name"), std::nullopt);
  EXPECT_EQ(row.text("name"), "");
  EXPECT_EQ(row.id(), "*1A");
  EXPECT_EQ(Row().find("name"), std::nullopt);
  EXPECT_EQ(Row().id(), "");
}

TEST(Row, TheLastValueOfANameWins) {
  Row row({{"name", "a"}, {"name", "b"}});
  EXPECT_EQ(row.text("name"), "b");
  row.put("name", "c");
  EXPECT_EQ(row.text("name"), "c");
  EXPECT_EQ(row.attributes().size(), 3u);
}

TEST(Row, AFlagMayBeSpelledEitherWayAndIsFalseWhenAbsent) {
  const Row row({{"running", "true"}, {"disabled", "no"}, {"dynamic", "Yes"}, {"odd", "n/a"}});
  EXPECT_TRUE(row.flag("running"));
  EXPECT_TRUE(row.flag("dynamic"));
  EXPECT_FALSE(row.flag("disabled"));
  EXPECT_FALSE(row.flag("odd"));
  EXPECT_FALSE(row.flag("invalid"));
}

TEST(Session, NamesItsWays) {
  EXPECT_EQ(via_name(Via::api_ssl), "api-ssl");
  EXPECT_EQ(via_name(Via::api), "api");
  EXPECT_EQ(via_name(Via::ssh), "ssh");
}

}  // namespace
}  // namespace mikroscope::routeros
