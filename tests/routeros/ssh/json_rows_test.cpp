#include "routeros/ssh/json_rows.h"

#include <gtest/gtest.h>

#include <string>

namespace mikroscope::routeros {
namespace {

// The one row of the text, written name=value|name=value.
std::string row_of(std::string_view text) {
  const auto read = parse_json_rows(text);
  if (!read) return "(unreadable)";
  if (read->rows.size() != 1) return "(" + std::to_string(read->rows.size()) + " rows)";
  std::string out;
  for (const Attribute& attribute : read->rows[0].attributes())
    out += (out.empty() ? "" : "|") + attribute.name + "=" + attribute.value;
  return out;
}

TEST(JsonRows, AnObjectIsARow) {
  EXPECT_EQ(row_of(R"({"name":"veth1","mtu":1500,"running":true,"disabled":false})"),
            "name=veth1|mtu=1500|running=true|disabled=false");
  EXPECT_EQ(row_of("{}"), "");
  EXPECT_EQ(row_of(" { \"a\" : \"b\" , \"c\" : 1 } "), "a=b|c=1");
}

TEST(JsonRows, NullAndTheEmptyArrayAreAbsent) {
  EXPECT_EQ(row_of(R"({"a":null,"b":[],"c":""})"), "c=");
}

TEST(JsonRows, NumbersKeepTheirDigits) {
  EXPECT_EQ(row_of(R"({"a":18446744073709551615,"b":-5,"c":0})"), "a=18446744073709551615|b=-5|c=0");
  // How a text that looks like a number is printed without json.no-string-conversion.
  EXPECT_EQ(row_of(R"({"a":123.000000,"b":7.100000,"c":100})"), "a=123|b=7.1|c=100");
  EXPECT_EQ(row_of(R"({"a":1.500000e+20})"), "a=1.500000e+20");
}

TEST(JsonRows, ArraysAreJoined) {
  EXPECT_EQ(row_of(R"({"a":["x","y"],"b":[1,2,3],"c":[["p","q"],"r"]})"), "a=x,y|b=1,2,3|c=p,q,r");
  EXPECT_EQ(row_of(R"({"a":{"k":"v","n":1}})"), "a=k=v,n=1");
}

TEST(JsonRows, EscapesAreUndone) {
  EXPECT_EQ(row_of(R"({"a":"\"\\\/\b\f\n\r\t"})"), "a=\"\\/\b\f\n\r\t");
  EXPECT_EQ(row_of(R"({"a":"\u00fc\u20ac\ud83d\ude00\u0041"})"),
            "a=\xc3\xbc\xe2\x82\xac\xf0\x9f\x98\x80"
            "A");
  EXPECT_EQ(row_of(R"({"a":"\ud83dx"})"), "a=\xef\xbf\xbdx");
}

TEST(JsonRows, OctetsStayAsTheyAre) {
  EXPECT_EQ(row_of("{\"comment\":\"Verst\xe4rker\"}"), "comment=Verst\xe4rker");
  EXPECT_EQ(row_of("{\"a\":\"one\r\ntwo\x01\"}"), "a=one\ntwo\x01");
}

TEST(JsonRows, OtherValues) {
  EXPECT_EQ(row_of("\"7.24\""), "ret=7.24");
  EXPECT_EQ(row_of("[\"a\",\"b\"]"), "ret=a,b");
  EXPECT_EQ(row_of("null"), "");
  EXPECT_EQ(row_of("[]"), "");
  EXPECT_EQ(row_of(R"([{"a":1},{"a":2}])"), "(2 rows)");
}

TEST(JsonRows, SaysHowMuchItTook) {
  const auto read = parse_json_rows("{\"a\":1} more");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->used, 7u);
}

TEST(JsonRows, WhatIsNotWholeIsNothing) {
  for (const char* text :
       {"", "{", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,}", "{a:1}", "[1", "\"x", "\"\\", "\"\\u12",
        "\"\\u12g4\"", "nul", "{\"a\":.}", "[{\"a\":1},2]", "bad command name"})
    EXPECT_FALSE(parse_json_rows(text)) << text;
  EXPECT_FALSE(parse_json_rows(std::string(100000, '[')));
}

}  // namespace
}  // namespace mikroscope::routeros
