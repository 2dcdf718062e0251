#include "routeros/ssh/console_request.h"

#include <gtest/gtest.h>

#include <string>

namespace mikroscope::routeros {
namespace {

const ConsoleRequests kNow(Version{7, 24});

std::string text(const Answer<std::string>& line) {
  if (line) return *line;
  const DeviceError* const error = device_error(line.error());
  return error == nullptr ? "(lost)" : "(" + error->message + ")";
}

TEST(ConsoleRequest, AListIsReadRowByRow) {
  EXPECT_EQ(
      text(kNow.list({"/interface/veth", {"name"}, {}}, "n1x")),
      ":foreach i in=[/interface/veth/find] do={:do {:put (\"Rn1x \" . $i . \" \" . [:serialize to=json "
      "value=[/interface/veth/get $i] options=json.no-string-conversion])} on-error={:put (\"Gn1x \" . "
      "$i)}}; :put \"OK:n1x\"");
}

TEST(ConsoleRequest, ConditionsAreQuotedTexts) {
  const std::string line =
      text(kNow.list({"/ip/firewall/nat", {"comment"}, {{"protocol", "tcp"}, {"dst-port", "9123"}}}, "n1x"));
  EXPECT_NE(line.find("[/ip/firewall/nat/find protocol=\"tcp\" dst-port=\"9123\"]"), std::string::npos)
      << line;
}

TEST(ConsoleRequest, FlagsAndIdsAreLeftToTheClient) {
  const std::string line =
      text(kNow.list({"/container", {"name"}, {{"running", "true"}, {".id", "*1"}, {"name", "a"}}}, "n1x"));
  EXPECT_NE(line.find("[/container/find name=\"a\"]"), std::string::npos) << line;
}

TEST(ConsoleRequest, BeforeSevenSeventeenJsonHasNoOptions) {
  EXPECT_EQ(text(ConsoleRequests(Version{7, 16, 2}).settings({"/system/resource", {"version"}, {}}, "n1x")),
            ":put (\"Rn1x - \" . [:serialize to=json value=[/system/resource/get]]); :put \"OK:n1x\"");
  EXPECT_EQ(text(ConsoleRequests(Version{7, 17}).settings({"/system/resource", {"version"}, {}}, "n1x")),
            ":put (\"Rn1x - \" . [:serialize to=json value=[/system/resource/get] "
            "options=json.no-string-conversion]); :put \"OK:n1x\"");
}

TEST(ConsoleRequest, WritesEndWithTheirMarker) {
  EXPECT_EQ(text(ConsoleRequests::add("/container/envs", {{"list", "a-env"}, {"key", "TOKEN"}}, "n1x")),
            ":put (\"OK:n1x \" . [/container/envs/add list=\"a\\2Denv\" key=\"TOKEN\"])");
  EXPECT_EQ(text(ConsoleRequests::set("/container", "*1A", {{"logging", "yes"}}, "n1x")),
            "/container/set *1A logging=\"yes\"; :put \"OK:n1x\"");
  EXPECT_EQ(text(ConsoleRequests::set("/container/config", "", {{"tmpdir", "d/t"}}, "n1x")),
            "/container/config/set tmpdir=\"d\\2Ft\"; :put \"OK:n1x\"");
  EXPECT_EQ(text(ConsoleRequests::remove("/file", "*1", "n1x")), "/file/remove *1; :put \"OK:n1x\"");
  EXPECT_EQ(text(kNow.call({"/container/start", {{".id", "*1"}}}, "n1x")),
            "/container/start *1; :put \"OK:n1x\"");
}

TEST(ConsoleRequest, CallsThatReturnAskForValues) {
  EXPECT_EQ(text(kNow.call({"/tool/fetch", {{"url", "http://a/b"}, {"output", "user"}}, true, 0}, "n1x")),
            ":put (\"Rn1x - \" . [:serialize to=json value=[/tool/fetch "
            "url=\"http\\3A\\2F\\2Fa\\2Fb\" output=\"user\" as-value] options=json.no-string-conversion]); "
            ":put \"OK:n1x\"");
}

TEST(ConsoleRequest, AFetchIsAlwaysAskedForValues) {
  EXPECT_EQ(text(kNow.call({"/tool/fetch", {{"dst-path", "a.tar"}}}, "n1x")),
            ":put (\"Rn1x - \" . [:serialize to=json value=[/tool/fetch dst-path=\"a\\2Etar\" as-value] "
            "options=json.no-string-conversion]); :put \"OK:n1x\"");
}

TEST(ConsoleRequest, IdsStandBareOnlyWhereAnItemIsMeant) {
  EXPECT_EQ(
      text(ConsoleRequests::add("/ip/firewall/filter", {{"place-before", "*3"}, {"comment", "*3"}}, "n1x")),
      ":put (\"OK:n1x \" . [/ip/firewall/filter/add place-before=*3 comment=\"\\2A3\"])");
}

TEST(ConsoleRequest, NothingIsInjected) {
  EXPECT_EQ(text(kNow.list({"/interface;/system/reboot", {"a"}, {}}, "n1x")),
            "(not a menu: \"/interface;/system/reboot\")");
  EXPECT_EQ(text(kNow.list({"interface", {"a"}, {}}, "n1x")), "(not a menu: \"interface\")");
  EXPECT_EQ(text(kNow.list({"/interface", {"a"}, {{"a b", "x"}}}, "n1x")),
            "(not a name of an attribute: \"a b\")");
  EXPECT_EQ(text(ConsoleRequests::set("/interface", "*1", {{"name]", "x"}}, "n1x")),
            "(not a name of an attribute: \"name]\")");
  EXPECT_EQ(text(kNow.call({"/system/reboot\n", {}}, "n1x")), "(not a command: \"/system/reboot\n\")");
  EXPECT_EQ(text(ConsoleRequests::remove("/interface", "*1]; /x", "n1x")),
            "/interface/remove \"\\2A1\\5D\\3B\\20\\2Fx\"; :put \"OK:n1x\"");
  EXPECT_EQ(text(ConsoleRequests::remove("/interface", "", "n1x")),
            "(an item without an id cannot be removed)");
}

TEST(ConsoleRequest, WhatIsTooLongIsSaidAndNotSent) {
  const std::string line =
      text(ConsoleRequests::add("/file", {{"contents", std::string(40000, 'a')}}, "n1x"));
  EXPECT_NE(line.find("octets long"), std::string::npos) << line;
}

TEST(ConsoleRequest, TheVersionIsAskedForInTheOldestWords) {
  EXPECT_EQ(ConsoleRequests::version("n1x"), ":put (\"OK:n1x \" . [/system/resource/get version])");
}

}  // namespace
}  // namespace mikroscope::routeros
