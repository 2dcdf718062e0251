#include "routeros/api/reply.h"

#include <gtest/gtest.h>

namespace mikroscope::routeros {
namespace {

using namespace std::string_literals;

Row row_of(Reply reply) {
  return Row(std::move(reply.attributes));
}

TEST(Reply, KnowsItsWords) {
  EXPECT_EQ(parse_reply({"!re"}).kind, ReplyKind::row);
  EXPECT_EQ(parse_reply({"!done"}).kind, ReplyKind::done);
  EXPECT_EQ(parse_reply({"!trap"}).kind, ReplyKind::trap);
  EXPECT_EQ(parse_reply({"!fatal"}).kind, ReplyKind::fatal);
  EXPECT_EQ(parse_reply({"!empty"}).kind, ReplyKind::empty);
  const Reply later = parse_reply({"!progress", "=done=5"});
  EXPECT_EQ(later.kind, ReplyKind::unknown);
  EXPECT_EQ(later.word, "!progress");
  EXPECT_EQ(parse_reply({}).kind, ReplyKind::unknown);
}

TEST(Reply, SplitsAtTheFirstEqualSign) {
  const Row row = row_of(parse_reply(
      {"!re", "=.id=*1A", "=comment=caf\xE9 \xF0\x9F\x98\x80", "=x==a=b", "=empty=", "=bare", "=nul=\0\n"s}));
  EXPECT_EQ(row.id(), "*1A");
  EXPECT_EQ(row.text("comment"), "caf\xE9 \xF0\x9F\x98\x80");
  EXPECT_EQ(row.text("x"), "=a=b");
  EXPECT_EQ(row.find("empty"), "");
  EXPECT_EQ(row.find("bare"), "");
  EXPECT_EQ(row.find("nul"), "\0\n"s);
  EXPECT_EQ(row.find("other"), std::nullopt);
}

TEST(Reply, TheTagMayStandAnywhere) {
  EXPECT_EQ(parse_reply({"!re", ".tag=7", "=name=a"}).tag, "7");
  EXPECT_EQ(parse_reply({"!re", "=name=a", ".tag=7"}).tag, "7");
  EXPECT_EQ(parse_reply({"!re", "=.tag=7"}).tag, "");
}

TEST(Reply, AFatalsReasonIsABareWord) {
  EXPECT_EQ(trap_error(parse_reply({"!fatal", "session terminated on request"}), "").message,
            "session terminated on request");
  EXPECT_EQ(trap_error(parse_reply({"!fatal", "=message=not logged in"}), "").message, "not logged in");
}

TEST(Reply, ATrapSaysWhatAndOfWhichKind) {
  const DeviceError error = trap_error(
      parse_reply({"!trap", "=category=1", "=message=input does not match any value of interface", ".tag=3"}),
      "/ip/address/add");
  EXPECT_EQ(error.message, "input does not match any value of interface");
  EXPECT_EQ(error.category, 1);
  EXPECT_EQ(error.doing, "/ip/address/add");
}

TEST(Reply, ATrapMayBeSilent) {
  const DeviceError error = trap_error(parse_reply({"!trap", "=category=x"}), "/x");
  EXPECT_EQ(error.message, "the router reported an error");
  EXPECT_EQ(error.category, -1);
}

}  // namespace
}  // namespace mikroscope::routeros
