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
  EXPECT_EQ(console_value(""), R"x("")x");
  EXPECT_EQ(console_value("mikroscope:agent (managed by mikroscope)"),
            R"x("mikroscope:agent (managed by mikroscope)")x");
  EXPECT_EQ(console_value(R"x(a "b" \c $d)x"), R"x("a \"b\" \\c \$d")x");
  EXPECT_EQ(console_value("1\n2\r3\t4"), R"x("1\n2\r3\t4")x");
  EXPECT_EQ(console_value(std::string_view("\0\x1b\x7f", 3)), R"x("\00\1B\7F")x");
  EXPECT_EQ(console_value("B\xc3\xbcro?"), R"x("B\C3\BCro\3F")x");
  EXPECT_EQ(console_value("a=b;c{d}[e]#f/g"), R"x("a=b;c{d}[e]#f/g")x");
}

TEST(Console, StringsForTheWireLeaveNothingToInterpret) {
  EXPECT_EQ(console_octets("aZ09"), R"x("aZ09")x");
  EXPECT_EQ(console_octets("a b"), R"x("a\20b")x");
  EXPECT_EQ(console_octets("192.0.2.1/24"), R"x("192\2E0\2E2\2E1\2F24")x");
  EXPECT_EQ(console_octets("\"\\$\n\xff"), R"x("\22\5C\24\0A\FF")x");
  EXPECT_EQ(console_octets(std::string_view("\0", 1)), R"x("\00")x");
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
            R"x(/interface/veth/add name=veth-mikroscope address="172.30.10.2/30" comment="a b" mtu=1500 )x"
            R"x(x="007" y="1d" z="Yes" empty="")x");
  EXPECT_EQ(console_command("/container", "print", {}, false), "/container/print");
}

TEST(Console, TheItemComesFirstAndIdsStandBare) {
  EXPECT_EQ(console_command("/container", "set", {{"logging", "yes"}, {".id", "*1A"}}, false),
            "/container/set *1A logging=yes");
  EXPECT_EQ(console_command("/interface", "set", {{".id", "ether1"}}, false), R"x(/interface/set "ether1")x");
  EXPECT_EQ(console_command("/ip/firewall/filter", "add", {{"place-before", "*3"}, {"comment", "*3"}}, false),
            R"x(/ip/firewall/filter/add place-before=*3 comment="*3")x");
}

TEST(Console, SecretsAreMaskedWhenAsked) {
  const Attributes env = {{"list", "agent-env"}, {"key", "TOKEN"}, {"value", "abc", true}};
  EXPECT_EQ(console_command("/container/envs", "add", env, true),
            R"x(/container/envs/add list=agent-env key="TOKEN" value="(secret)")x");
  EXPECT_EQ(console_command("/container/envs", "add", env, false),
            R"x(/container/envs/add list=agent-env key="TOKEN" value=abc)x");
}

TEST(Console, FindQuotesEveryValue) {
  EXPECT_EQ(console_find("/ip/firewall/nat", {{"protocol", "tcp"}, {"dst-port", "9123"}}),
            R"x([/ip/firewall/nat/find protocol="tcp" dst-port="9123"])x");
  EXPECT_EQ(console_find("", {{"name", "x"}, {"comment", "y"}}), R"x([find name="x" comment="y"])x");
}

}  // namespace
}  // namespace mikroscope::routeros
