// The console language of the double.
#include "tests/routersim/console/console.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "routeros/image.h"
#include "routeros/session/console.h"
#include "tests/routeros/fake_program.h"

namespace mikroscope::routersim::console {
namespace {

Config config(const std::string& ros = "7.24.2") {
  Config config;
  config.ros = ros;
  config.clock = std::make_shared<FakeClock>();
  return config;
}

User admin() {
  User user;
  user.name = "admin";
  user.via = Via::ssh;
  user.policies = {"ssh", "read", "write", "policy", "test", "ftp", "sensitive", "reboot"};
  return user;
}

// What a router of that version prints for the text, with plain line ends.
class Terminal {
 public:
  explicit Terminal(const std::string& ros = "7.24.2") : router_(config(ros)), console_(router_, admin()) {}

  std::string operator()(std::string_view text) {
    const Result result = console_.run(text);
    failed = result.failed;
    std::string out;
    for (std::size_t i = 0; i < result.output.size(); ++i) {
      if (result.output[i] == '\r') {
        EXPECT_EQ(result.output.substr(i, 2), "\r\n");
        continue;
      }
      out += result.output[i];
    }
    if (out.ends_with('\n')) out.pop_back();
    return out;
  }
  Router& router() { return router_; }
  bool failed = false;

 private:
  Router router_;
  Console console_;
};

TEST(Console, PrintsValues) {
  Terminal t;
  EXPECT_EQ(t(":put \"a b\""), "a b");
  EXPECT_EQ(t(":put (1 + 2 * 3)"), "7");
  EXPECT_EQ(t(":put ((1 + 2) * 3)"), "9");
  EXPECT_EQ(t(":put (\"a\" . 1 . \"b\")"), "a1b");
  EXPECT_EQ(t(":put {1;2;\"k\"=3}"), "1;2;k=3");
  EXPECT_EQ(t(":put yes; :put false"), "true\nfalse");
  EXPECT_EQ(t(":put ({\"a\"=5}->\"a\")"), "5");
  EXPECT_EQ(t(":put (10 > 9 && !(1 = 2))"), "true");
  EXPECT_EQ(t(":put (192.0.2.7 in 192.0.2.0/24)"), "true");
  EXPECT_EQ(t(":put (192.0.2.1 + 5)"), "192.0.2.6");
  EXPECT_EQ(t(":put (\"veth12\" ~ \"^veth[0-9]+\\$\")"), "true");
  EXPECT_EQ(t(":put (1,2,3)"), "1;2;3");
}

TEST(Console, StringsHaveTheirEscapes) {
  Terminal t;
  EXPECT_EQ(t(R"x(:put "\"\\\$\_\41\7E")x"), "\"\\$ A~");
  EXPECT_EQ(t(R"x(:put "a\nb\tc")x"), "a\nb\tc");
  EXPECT_EQ(t(R"x(:local a 5; :put "v=$a $(1 + 1) $[:len "abc"]")x"), "v=5 2 3");
  // Lower-case digits are no escape of an octet.
  EXPECT_EQ(t(R"x(:put "\zz")x"), "syntax error (line 1 column 7)");
}

TEST(Console, EveryOctetSurvivesOurQuoting) {
  Terminal t;
  std::string all;
  for (int c = 1; c < 256; ++c) all += static_cast<char>(c);
  const std::string id =
      t(":put [/interface/veth/add name=v1 comment=" + routeros::console_octets(all) + "]");
  EXPECT_EQ(id.front(), '*');
  EXPECT_EQ(t.router().rows("/interface/veth").back().text("comment"), all);
  t("/interface/veth/set " + id + " comment=" + routeros::console_value(all));
  EXPECT_EQ(t.router().rows("/interface/veth").back().text("comment"), all);
}

TEST(Console, TypesAreNamed) {
  Terminal t;
  for (const auto& [value, type] :
       std::vector<std::pair<std::string, std::string>>{{"5", "num"},
                                                        {"\"5\"", "str"},
                                                        {"yes", "bool"},
                                                        {"10s", "time"},
                                                        {"192.0.2.1", "ip"},
                                                        {"192.0.2.0/24", "ip-prefix"},
                                                        {"*1A", "id"},
                                                        {"{1;2}", "array"},
                                                        {"$none", "nothing"},
                                                        {"[:tonum \"x\"]", "nil"},
                                                        {"[:tonum \"7\"]", "num"},
                                                        {"[:toip \"192.0.2.1\"]", "ip"},
                                                        {"[:tostr 5]", "str"}})
    EXPECT_EQ(t(":put [:typeof " + value + "]"), type) << value;
}

TEST(Console, LoopsAndBranches) {
  Terminal t;
  EXPECT_EQ(t(":for i from=1 to=3 do={:put $i}"), "1\n2\n3");
  EXPECT_EQ(t(":foreach k,v in={\"a\"=1;\"b\"=2} do={:put \"$k-$v\"}"), "a-1\nb-2");
  EXPECT_EQ(t(":foreach v in={7;8} do={:put $v}"), "7\n8");
  EXPECT_EQ(t(":local i 0; :while ($i < 2) do={:set i ($i + 1); :put $i}"), "1\n2");
  EXPECT_EQ(t(":if (1 = 1) do={:put yes} else={:put no}"), "true");
  EXPECT_EQ(t(":if (1 = 2) do={:put \"a\"} else={:put \"b\"}"), "b");
  EXPECT_EQ(t(":local i 0; :do {:set i ($i + 1)} while=($i < 5); :put $i"), "5");
  EXPECT_EQ(t(":local m {\"a\"=1}; :set ($m->\"b\") 2; :put $m"), "a=1;b=2");
}

TEST(Console, TextFunctions) {
  Terminal t;
  EXPECT_EQ(t(":put [:len \"abcd\"]; :put [:len {1;2}]; :put [:len $none]"), "4\n2\n0");
  EXPECT_EQ(t(":put [:pick \"abcdef\" 1 3]; :put [:pick \"abc\" 1]; :put [:pick {5;6;7} 1 3]"), "bc\nb\n6;7");
  EXPECT_EQ(
      t(":put [:find \"hello\" \"l\"]; :put [:find \"hello\" \"l\" 2]; :put [:typeof [:find \"a\" \"b\"]]"),
      "2\n3\nnil");
  EXPECT_EQ(t(":put [:convert \"abcd\" to=base64]"), "YWJjZA==");
}

TEST(Console, EachLineIsItsOwnCommand) {
  Terminal t;
  EXPECT_EQ(t(":local a 1\n:put \"<$a>\""), "<>");
  EXPECT_EQ(t(":local a 1; :put \"<$a>\"\r\n:put 2"), "<1>\n2");
  EXPECT_EQ(t(":error \"no\"; :put 1\n:put 2"), "no\n2");
  EXPECT_FALSE(t.failed) << "the last line went well";
  EXPECT_EQ(t("{:local a 3\n:put $a}"), "3") << "braces hold lines together";
}

TEST(Console, ErrorsAreTextAndEndTheirLine) {
  Terminal t;
  EXPECT_EQ(t("/foo/print; :put 1"), "bad command name foo (line 1 column 2)");
  EXPECT_TRUE(t.failed);
  EXPECT_EQ(t(":put 1; /interface/veth/fly"), "bad command name fly (line 1 column 25)")
      << "a line is parsed before any of it runs";
  EXPECT_EQ(t("/interface/veth/add name=a wings=2"), "expected end of command (line 1 column 28)");
  EXPECT_EQ(t(":put (1 + "), "syntax error (line 1 column 11)");
  EXPECT_EQ(t(":put \"open"), "expected closing quote (line 1 column 6)");
  EXPECT_EQ(t("/interface/veth/remove *FF; :put 1"), "no such item");
  EXPECT_EQ(t("/system/resource/find"), "bad command name find (line 1 column 18)");
  EXPECT_EQ(t(":do {/interface/veth/remove *FF} on-error={:put \"caught\"}; :put 2"), "caught\n2");
  EXPECT_EQ(t(":onerror e in={:error \"why\"} do={:put \"<$e>\"}"), "<why>");
}

TEST(Console, MenusInBothSpellings) {
  Terminal t;
  EXPECT_EQ(t(":put [/system/identity/get name]"), "MikroTik");
  EXPECT_EQ(t(":put [/system identity get name]"), "MikroTik");
  EXPECT_EQ(t("/system identity; :put [get name]"), "MikroTik");
  EXPECT_EQ(t("/sys iden pr"), "  name: MikroTik");
  EXPECT_EQ(t("/system identity set name=\"r 1\"; :put [/system identity get name]"), "r 1");
}

TEST(Console, RowsAreAddedChangedAndRemoved) {
  Terminal t;
  const std::string id = t(":put [/interface/veth/add name=v1 address=172.30.10.2/30 gateway=172.30.10.1]");
  EXPECT_EQ(id.substr(0, 1), "*");
  EXPECT_EQ(t("/interface/veth/add name=v2 address=172.30.10.6/30"), "") << "a success is silent";
  EXPECT_EQ(t(":put [:len [/interface/veth/find]]"), "2");
  EXPECT_EQ(t(":put [/interface/veth/get [find name=\"v1\"] address]"), "172.30.10.2/30");
  EXPECT_EQ(
      t("/interface/veth/set [find name=\"v1\"] comment=\"a b\"; :put [/interface/veth/get v1 comment]"),
      "a b");
  EXPECT_EQ(t("/interface/veth/set [find name=\"nobody\"] comment=x"), "") << "nothing found, nothing done";
  EXPECT_EQ(t("/interface/veth/get [find name=\"nobody\"]"), "no such item");
  EXPECT_EQ(t("/interface/veth/remove [find name=\"v1\"]; :put [/interface/veth/print count-only]"), "1");
  EXPECT_EQ(t("/interface/veth/add name=v2 address=172.30.10.6/30").substr(0, 8), "failure:");
  EXPECT_EQ(t(":put [/interface/veth/get v2 nothing]"), "input does not match any value of value-name");
  EXPECT_EQ(t("/interface veth\nadd name=v3 address=172.30.10.10/30"),
            "bad command name add (line 1 column 1)")
      << "over SSH the menu is forgotten with its line";
}

TEST(Console, AnUnquotedWordInFindIsAVariable) {
  Terminal t;
  t("/ip/firewall/nat/add chain=dstnat action=dst-nat protocol=tcp dst-port=9123 to-addresses=172.30.10.2 "
    "comment=x");
  EXPECT_EQ(t(":put [:len [/ip/firewall/nat/find protocol=tcp]]"), "0");
  EXPECT_EQ(t(":put [:len [/ip/firewall/nat/find protocol=\"tcp\"]]"), "1");
  EXPECT_EQ(t(":put [:len [/ip/firewall/nat/find dst-port=9123]]"), "0");
  EXPECT_EQ(t(":put [:len [/ip/firewall/nat/find dst-port=\"9123\"]]"), "1");
  EXPECT_EQ(t(":put [:len [/ip/firewall/nat/find to-addresses=172.30.10.2]]"), "0");
  EXPECT_EQ(t(":put [:len [/ip/firewall/nat/find to-addresses=\"172.30.10.2\"]]"), "1");
  EXPECT_EQ(t(":put [:len [/ip/firewall/nat/find chain=dstnat action=dst-nat]]"), "1");
  EXPECT_EQ(t(":local p \"tcp\"; :put [:len [/ip/firewall/nat/find protocol=$p]]"), "1");
  // A variable named like a property is the property: every row that has it fits.
  EXPECT_EQ(t(":local protocol \"udp\"; :put [:len [/ip/firewall/nat/find protocol=$protocol]]"), "1");
}

TEST(Console, ConditionsSelectRows) {
  Terminal t;
  t("/interface/veth/add name=v1 address=172.30.10.2/30 comment=\"a\"");
  t("/interface/veth/add name=v2 address=172.30.10.6/30 comment=\"ab\" disabled=yes");
  EXPECT_EQ(t(":put [/interface/veth/print count-only where comment=\"a\"]"), "1");
  EXPECT_EQ(t(":put [:len [/interface/veth/find comment~\"^a\" disabled=no]]"), "1");
  EXPECT_EQ(t(":put [:len [/interface/veth/find where name=\"v1\" or name=\"v2\"]]"), "2");
  EXPECT_EQ(t(":put [:len [/interface/veth/find !disabled]]"), "1");
  EXPECT_EQ(t(":put [:len [/interface/veth/find disabled]]"), "1");
  EXPECT_EQ(t(":put [:len [/interface/veth/find disabled=\"yes\"]]"), "0") << "a flag is no text";
  EXPECT_EQ(t(":put [:len [/interface/veth/find comment=\"A\"]]"), "0");
}

TEST(Console, JsonFollowsTheVersion) {
  Terminal now;
  EXPECT_EQ(
      now(R"x(:put [:serialize to=json value={"a"=1;"b"="x\"y";"c"=true;"d"={1;2};"e"="007"} options=json.no-string-conversion])x"),
      R"x({"a":1,"b":"x\"y","c":true,"d":[1,2],"e":"007"})x");
  EXPECT_EQ(now(R"x(:put [:serialize to=json value={"e"="007";"v"="7.2"}])x"),
            R"x({"e":7.000000,"v":7.200000})x");
  Terminal middle("7.16");
  EXPECT_EQ(middle(R"x(:put [:serialize to=json value={"a"=1}])x"), R"x({"a":1})x");
  EXPECT_EQ(middle(R"x(:put [:serialize to=json value={"a"=1} options=json.no-string-conversion])x"),
            "expected end of command (line 1 column 40)");
  Terminal old("7.12.1");
  EXPECT_EQ(old(R"x(:put [:serialize to=json value={"a"=1}])x"),
            "bad command name serialize (line 1 column 8)");
}

TEST(Console, ArgumentsMayBeShortened) {
  Terminal t;
  t("/interface/veth/add name=v1 address=172.30.10.2/30");
  t("/interface/veth/set v1 comm=x");
  EXPECT_EQ(t(":put [/interface/veth/get v1 comment]"), "x");
}

TEST(Console, RightsAreAskedFor) {
  Router router(config());
  User reader = admin();
  reader.policies = {"ssh", "read"};
  Console console(router, reader);
  EXPECT_EQ(console.run("/interface/veth/add name=v1 address=172.30.10.2/30").output,
            "not enough permissions (9)\r\n");
  EXPECT_TRUE(console.run("/interface/veth/print count-only").output == "0\r\n");
}

TEST(Console, ScriptsAreImported) {
  Terminal t;
  t(R"x(/file/add name=ok.rsc contents="# a comment \"\n/interface veth\nadd name=v1 \\\n    address=172.30.10.2/30\n:local n [:len [find]]\n:if (\$n = 1) do={\n  :put \"one\"\n}\n")x");
  EXPECT_EQ(t("/import file-name=ok.rsc"), "one\n\nScript file loaded and executed successfully");
  EXPECT_EQ(t(":put [/interface/veth/get v1 address]"), "172.30.10.2/30");
  t(R"x(/file/add name=bad.rsc contents=":put 1\n:error \"stop here\"\n:put 2\n")x");
  EXPECT_EQ(t("/import file-name=bad.rsc"), "1\nstop here");
  EXPECT_TRUE(t.failed);
  t(R"x(/file/add name=worse.rsc contents=":put 1\n\n/foo/bar\n")x");
  EXPECT_EQ(t("/import worse.rsc"), "1\nbad command name foo (line 3 column 2)");
}

// In the words of the scripts that the command line writes.
TEST(Console, AnInstallationScriptRuns) {
  Config with_time = config();
  with_time.clock = nullptr;
  with_time.timing.extract = 60;
  with_time.timing.start = 30;
  Router router(with_time);
  Console console(router, admin());
  const std::string agent = routeros::fake_program(routeros::Arch::arm64);
  const auto image = routeros::build_image(routeros::Arch::arm64, routeros::bytes_of(agent));
  ASSERT_TRUE(image);
  const std::string script = R"x(# installs
{
:if (!([:tostr [/system/resource/get version]] ~ "^7\\.24(\\.[0-9]+)?( |\$)")) do={ :error "wrong version" }
:if ([:len [/system/package/find name="container" disabled=no]] = 0) do={ :error "no package" }
:local mode [:tostr [/system/device-mode/get container]]
:if ($mode != "yes" && $mode != "true") do={ :error "device-mode" }
:if ([:len [/file/find name="agent.tar"]] = 0) do={ :error "upload the image first" }
# rows
/interface/veth/add name=agent address="172.30.10.2/30" gateway="172.30.10.1" comment="tag (x)"
/container/envs/add list=agent-env key="RATE" value=10
:if ([:len [/ip/firewall/filter/find chain="forward" action="drop"]] > 0) do={ \
  /ip/firewall/filter/add chain=forward action=accept comment="tag (x)" place-before=[:pick [/ip/firewall/filter/find chain="forward" action="drop"] 0] } else={ :error "no drop" }
/container/add file="agent.tar" interface=agent envlists=agent-env root-dir="m/agent" dns="172.30.10.1" comment="tag (x)"
:local wait 0
:while ([:len [/container/find comment="tag (x)" stopped]] = 0 && $wait < 500) do={ :delay 10ms; :set wait ($wait + 1) }
/container/start [/container/find comment="tag (x)"]
:set wait 0
:while ([:len [/container/find comment="tag (x)" running]] = 0 && $wait < 500) do={ :delay 10ms; :set wait ($wait + 1) }
:if ([:len [/container/find comment="tag (x)" running]] = 0) do={ :error "does not run" }
:put "runs"
}
)x";
  ASSERT_TRUE(router.upload("install.rsc")->append(script));
  EXPECT_EQ(console.run("/import install.rsc").output, "upload the image first\r\n");
  EXPECT_EQ(router.requests().writes(), 0u);
  ASSERT_TRUE(router.upload("agent.tar")->append(*image));
  EXPECT_EQ(console.run("/import install.rsc").output,
            "runs\r\n\r\nScript file loaded and executed successfully\r\n");
  const std::vector<Row> rules = router.rows("/ip/firewall/filter");
  const auto ours = std::find_if(rules.begin(), rules.end(),
                                 [](const Row& row) { return row.text("comment") == "tag (x)"; });
  ASSERT_NE(ours, rules.end());
  const auto drop = std::find_if(rules.begin(), rules.end(), [](const Row& row) {
    return row.text("chain") == "forward" && row.text("action") == "drop";
  });
  EXPECT_EQ(ours + 1, drop);
}

TEST(Console, FaultsShow) {
  Terminal t;
  ASSERT_FALSE(t.router().set_fault("print-on-write=1"));
  EXPECT_EQ(t("/interface/veth/add name=v1 address=172.30.10.2/30; :put \"OK\""), "warning: simulated\nOK");
  ASSERT_FALSE(t.router().set_fault("cut-after-write=2"));
  Console console(t.router(), admin());
  const Result result = console.run("/interface/veth/add name=v2 address=172.30.10.6/30; :put 1");
  EXPECT_TRUE(result.cut);
  EXPECT_EQ(result.output, "");
  EXPECT_EQ(t.router().rows("/interface/veth").size(), 2u);
}

TEST(Console, ReadingWritesNothing) {
  Terminal t;
  t(":foreach i in=[/interface/find] do={:put [/interface/get $i name]}");
  t("/export");
  EXPECT_EQ(t.router().requests().writes(), 0u);
}

TEST(Console, WhatHangsCanBeCancelled) {
  Terminal t;
  const std::atomic<bool> cancelled = true;
  Console console(t.router(), admin());
  EXPECT_TRUE(console.run(":delay 60s", &cancelled).cut);
  EXPECT_EQ(t(":while (true) do={}"), "script runs too long");
}

}  // namespace
}  // namespace mikroscope::routersim::console
