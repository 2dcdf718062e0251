#include "routeros/ssh/console_reply.h"

#include <gtest/gtest.h>

namespace mikroscope::routeros {
namespace {

TEST(ConsoleReply, RowsComeWithTheirIds) {
  const ConsoleReply reply = parse_console_reply(
      "Rn1x *1 {\"name\":\"a\"}\r\nRn1x *1A {\"name\":\"b\",\"comment\":\"c d\"}\r\nOK:n1x\r\n", "n1x");
  EXPECT_TRUE(reply.ended);
  EXPECT_EQ(reply.complaint, "");
  ASSERT_EQ(reply.rows.size(), 2u);
  EXPECT_EQ(reply.rows[0].id(), "*1");
  EXPECT_EQ(reply.rows[0].text("name"), "a");
  EXPECT_FALSE(reply.rows[0].find("comment"));
  EXPECT_EQ(reply.rows[1].id(), "*1A");
  EXPECT_EQ(reply.rows[1].text("comment"), "c d");
}

TEST(ConsoleReply, TheEndMayCarryAValue) {
  const ConsoleReply reply = parse_console_reply("OK:n1x *3\r\n", "n1x");
  EXPECT_TRUE(reply.ended);
  EXPECT_EQ(reply.value, "*3");
  EXPECT_EQ(reply.complaint, "");
  EXPECT_TRUE(parse_console_reply("OK:n1x", "n1x").ended);
}

TEST(ConsoleReply, SettingsHaveNoId) {
  const ConsoleReply reply = parse_console_reply("Rn1x - {\"version\":\"7.24\"}\nOK:n1x\n", "n1x");
  ASSERT_EQ(reply.rows.size(), 1u);
  EXPECT_FALSE(reply.rows[0].find(".id"));
  EXPECT_EQ(reply.rows[0].text("version"), "7.24");
}

TEST(ConsoleReply, EverythingElseIsAComplaint) {
  const ConsoleReply parse = parse_console_reply("bad command name x (line 1 column 1)\r\n", "n1x");
  EXPECT_FALSE(parse.ended);
  EXPECT_EQ(parse.complaint, "bad command name x (line 1 column 1)");

  const ConsoleReply noisy = parse_console_reply("some notice\r\n\r\nOK:n1x\r\nand more\r\n", "n1x");
  EXPECT_TRUE(noisy.ended);
  EXPECT_EQ(noisy.complaint, "some notice and more");

  // The loop broke off after a row.
  const ConsoleReply broken = parse_console_reply("Rn1x *1 {\"a\":\"b\"}\r\nfailure: not now\r\n", "n1x");
  EXPECT_FALSE(broken.ended);
  EXPECT_EQ(broken.rows.size(), 1u);
  EXPECT_EQ(broken.complaint, "failure: not now");
}

TEST(ConsoleReply, NothingAtAllIsNoSuccess) {
  EXPECT_FALSE(parse_console_reply("", "n1x").ended);
  EXPECT_FALSE(parse_console_reply("\r\n", "n1x").ended);
}

TEST(ConsoleReply, OnlyMarkersOfThisLineCountAndOnlyAtLineStarts) {
  EXPECT_FALSE(parse_console_reply("OK:n2x\r\n", "n1x").ended);
  EXPECT_EQ(parse_console_reply("OK:n2x\r\n", "n1x").complaint, "OK:n2x");
  EXPECT_FALSE(parse_console_reply("say OK:n1x\r\n", "n1x").ended);
  const ConsoleReply quoted = parse_console_reply("Rn1x *1 {\"comment\":\"OK:n1x\"}\r\n", "n1x");
  EXPECT_FALSE(quoted.ended);
  ASSERT_EQ(quoted.rows.size(), 1u);
  EXPECT_EQ(quoted.rows[0].text("comment"), "OK:n1x");
}

TEST(ConsoleReply, RowsThatWentAreNamed) {
  const ConsoleReply reply = parse_console_reply("Gn1x *7\r\nOK:n1x\r\n", "n1x");
  ASSERT_EQ(reply.gone.size(), 1u);
  EXPECT_EQ(reply.gone[0], "*7");
}

TEST(ConsoleReply, AValueMayHoldLineBreaks) {
  const ConsoleReply reply = parse_console_reply("Rn1x *1 {\"a\":\"one\r\ntwo\"}\r\nOK:n1x\r\n", "n1x");
  ASSERT_EQ(reply.rows.size(), 1u);
  EXPECT_EQ(reply.rows[0].text("a"), "one\ntwo");
  EXPECT_EQ(reply.complaint, "");
}

TEST(ConsoleReply, AnUnreadableRowIsAComplaint) {
  const ConsoleReply reply = parse_console_reply("Rn1x *1 {\"a\":\r\nOK:n1x\r\n", "n1x");
  EXPECT_TRUE(reply.rows.empty());
  EXPECT_EQ(reply.complaint, "unreadable row: *1 {\"a\":");
}

TEST(ConsoleReply, SeveralRowsOfOneCommand) {
  const ConsoleReply reply =
      parse_console_reply("Rn1x - [{\"seq\":0,\"time\":\"1ms\"},{\"seq\":1}]\r\nOK:n1x\r\n", "n1x");
  ASSERT_EQ(reply.rows.size(), 2u);
  EXPECT_EQ(reply.rows[0].text("time"), "1ms");
}

TEST(ConsoleReply, ParseErrorsAreTold) {
  EXPECT_TRUE(is_parse_error("syntax error (line 1 column 29)"));
  EXPECT_TRUE(is_parse_error("bad command name find (line 1 column 5)"));
  EXPECT_TRUE(is_parse_error("expected end of command (line 1 column 17)"));
  EXPECT_FALSE(is_parse_error("failure: already have such entry"));
  EXPECT_FALSE(is_parse_error("no such item"));
  EXPECT_FALSE(is_parse_error("input does not match any value of interface"));
}

}  // namespace
}  // namespace mikroscope::routeros
