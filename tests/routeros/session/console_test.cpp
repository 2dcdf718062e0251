#include "routeros/session/console.h"

#include <gtest/gtest.h>

namespace mikroscope::routeros {
namespace {

TEST(Console, NamesAreCheckedBeforeTheyAreSent) {
  for (const char* good : {"/ip/firewall/address-list", "comment", ".id", "gateway6", "default-cmd"})
    EXPECT_TRUE(console_name(good)) << good;
  for (const char* bad : {"", "a b", "a;b", "a=b", "Comment", "[find]", "a\"", "$x", "a\n", "\xc3\xa4"})
    EXPECT_FALSE(console_name(bad)) << bad;
}

TEST(Console, AnIdIsAStarAndUpperCaseHex) {
  for (const char* good : {"*1", "*1A", "*80000003", "*FFFFFFFF"}) EXPECT_TRUE(console_id(good)) << good;
  for (const char* bad : {"", "*", "1", "*1a", "*G", "*1 ", "ether1", "**1"})
    EXPECT_FALSE(console_id(bad)) << bad;
}

TEST(Console, ReadableStringsEscapeWhatTheConsoleWouldInterpret) {
  EXPECT_EQ(console_value(""), R"("")");
  EXPECT_EQ(console_value("mikroscope:agent (managed by mikroscope)"),
            R"("mikroscope:agent (managed by mikroscope)")
  ");
      EXPECT_EQ(console_value(R"(a "b" \c $d)"), R"("a \"b\" \\c \$d")");
  EXPECT_EQ(console_value("1\n2\r3\t4"), R"("1\n2\r3\t4")");
  EXPECT_EQ(console_value(std::string_view("\0\x1b\x7f", 3)), R"("\00\1B\7F")");
  EXPECT_EQ(console_value("B\xc3\xbcro?"), R"("B\C3\BCro\3F")");
  EXPECT_EQ(console_value("a=b;c{d}[e]#f/g"), R"("a=b;c{d}[e]#f/g")");
}

TEST(Console, StringsForTheWireLeaveNothingToInterpret) {
  EXPECT_EQ(console_octets("aZ09"), R"("aZ09")");
  EXPECT_EQ(console_octets("a b"), R"("a\20b")");
  EXPECT_EQ(console_octets("192.0.2.1/24"), R"("192\2E0\2E2\2E1\2F24")");
  EXPECT_EQ(console_octets("\"\\$\n\xff"), R"("\22\5C\24\0A\FF")");
  EXPECT_EQ(console_octets(std::string_view("\0", 1)), R"("\00")");
}

TEST(Console, CommandsQuoteAllButPlainWordsAndNumbers) {
  EXPECT_EQ(console_command("/interface/veth", "add",
                            {{"name", "veth-mikroscope"},
                             {"address", "172.30.10.2/30"},
                             {"comment", "a b"},
                             {"mtu", "1500"},
                             {"x", "007"},
                             {"y", "1d"},
                             {"z", "Yes"},
                             {"empty", ""}},
                            false),
            R"(/interface/veth/add name=veth-mikroscope address="172.30.10.2/30" comment="a b" mtu=1500 )"
            R"(x="007" y="1d" z="Yes" empty="")");
  EXPECT_EQ(console_command("/container", "print", {}, false), "/container/print");
}

TEST(Console, TheItemComesFirstAndIdsStandBare) {
  EXPECT_EQ(console_command("/container", "set", {{"logging", "yes"}, {".id", "*1A"}}, false),
            "/container/set *1A logging=yes");
  EXPECT_EQ(console_command("/interface", "set", {{".id", "ether1"}}, false), R"(/interface/set "ether1")");
  EXPECT_EQ(console_command("/ip/firewall/filter", "add", {{"place-before", "*3"}, {"comment", "*3"}}, false),
            R"(/ip/firewall/filter/add place-before=*3 comment="*3")");
}

TEST(Console, SecretsAreMaskedWhenAsked) {
  const Attributes env = {{"list", "agent-env"}, {"key", "TOKEN"}, {"value", "abc", true}};
  EXPECT_EQ(console_command("/container/envs", "add", env, true),
            R"(/container/envs/add list=agent-env key="TOKEN" value="(secret)")
  ");
      EXPECT_EQ(console_command("/container/envs", "add", env, false),
                R"(/container/envs/add list=agent-env key="TOKEN" value=abc)");
}

TEST(Console, FindQuotesEveryValue) {
  EXPECT_EQ(console_find("/ip/firewall/nat", {{"protocol", "tcp"}, {"dst-port", "9123"}}),
            R"([/ip/firewall/nat/find protocol="tcp" dst-port="9123"])");
  EXPECT_EQ(console_find("", {{"name", "x"}, {"comment", "y"}}), R"([find name="x" comment="y"])");
}

}  // namespace
}  // namespace mikroscope::routeros
