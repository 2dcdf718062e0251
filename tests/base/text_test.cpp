#include "base/text.h"

#include <gtest/gtest.h>

#include <string>

namespace mikroscope::base {
namespace {

TEST(Scanner, ReadsUnsignedNumbersExactlyOrNotAtAll) {
  struct Case {
    const char* text;
    bool good;
    std::uint64_t value;
    const char* rest;
  };
  for (const Case& c :
       {Case{"0", true, 0, ""}, Case{"  42 7", true, 42, " 7"}, Case{"999999999", true, 999999999, ""},
        Case{"1000000000", true, 1000000000, ""}, Case{"18446744073709551615", true, UINT64_MAX, ""},
        Case{"18446744073709551616", false, 0, "18446744073709551616"},
        Case{"99999999999999999999999", false, 0, "99999999999999999999999"}, Case{"", false, 0, ""},
        Case{"-1", false, 0, "-1"}, Case{" x", false, 0, "x"}, Case{"007:", true, 7, ":"}}) {
    Scanner s(c.text);
    std::uint64_t value = 0;
    EXPECT_EQ(s.u64(value), c.good) << c.text;
    if (c.good) {
      EXPECT_EQ(value, c.value) << c.text;
    }
    EXPECT_EQ(s.rest(), c.rest) << c.text;
  }
}

TEST(Scanner, ReadsSignedNumbersToTheirLimits) {
  std::int64_t value = 0;
  EXPECT_TRUE(Scanner("-9223372036854775808").i64(value));
  EXPECT_EQ(value, INT64_MIN);
  EXPECT_TRUE(Scanner("9223372036854775807").i64(value));
  EXPECT_EQ(value, INT64_MAX);
  EXPECT_FALSE(Scanner("9223372036854775808").i64(value));
  EXPECT_FALSE(Scanner("-9223372036854775809").i64(value));
  EXPECT_FALSE(Scanner("- 5").i64(value));
  Scanner s("-x");
  EXPECT_FALSE(s.i64(value));
  EXPECT_EQ(s.rest(), "-x") << "nothing moves on failure";
}

TEST(Scanner, ReadsHexadecimal) {
  std::uint64_t value = 0;
  EXPECT_TRUE(Scanner("000008c5").hex(value));
  EXPECT_EQ(value, 0x8c5U);
  EXPECT_TRUE(Scanner("FFffFFffFFffFFff").hex(value));
  EXPECT_EQ(value, UINT64_MAX);
  EXPECT_FALSE(Scanner("10000000000000000").hex(value));
  EXPECT_FALSE(Scanner("g").hex(value));
}

TEST(Scanner, ReadsDecimalsAsScaledIntegers) {
  struct Case {
    const char* text;
    int decimals;
    std::int64_t value;
  };
  for (const Case& c : {Case{"0.12", 2, 12}, Case{"12", 2, 1200}, Case{"3.5", 2, 350}, Case{"0.129", 2, 12},
                        Case{"-5.25", 2, -525}, Case{"7.", 1, 70}, Case{"4294967295.99", 2, 429496729599}}) {
    std::int64_t value = 0;
    Scanner s(c.text);
    EXPECT_TRUE(s.decimal(c.decimals, value)) << c.text;
    EXPECT_EQ(value, c.value) << c.text;
    EXPECT_TRUE(s.done()) << c.text;
  }
  std::int64_t value = 0;
  EXPECT_FALSE(Scanner(".5").decimal(2, value));
  EXPECT_FALSE(Scanner("99999999999").decimal(2, value)) << "beyond what can be scaled";
}

TEST(Scanner, LinesWordsAndSeparators) {
  Scanner s("one two\r\n\nlast");
  EXPECT_EQ(s.word(), "one");
  EXPECT_EQ(s.line(), " two");
  EXPECT_EQ(s.line(), "");
  EXPECT_EQ(s.line(), "last");
  EXPECT_TRUE(s.done());
  EXPECT_EQ(s.line(), "");
  Scanner k("key: value");
  std::string_view out;
  EXPECT_FALSE(k.until('=', out));
  EXPECT_TRUE(k.until(':', out));
  EXPECT_EQ(out, "key");
  EXPECT_EQ(k.word(), "value");
}

TEST(Text, WholeNumbersAllowBlanksAroundThemOnly) {
  std::uint64_t value = 0;
  EXPECT_TRUE(parse_u64(" 12\n", value));
  EXPECT_EQ(value, 12U);
  EXPECT_FALSE(parse_u64("12 kB", value));
  EXPECT_FALSE(parse_u64("", value));
  EXPECT_EQ(trim(std::string_view(" RB5009 \0\0", 10)), "RB5009");
}

TEST(Text, Utf8Lengths) {
  EXPECT_EQ(utf8_length("a"), 1);
  EXPECT_EQ(utf8_length("\xc3\xa9"), 2);
  EXPECT_EQ(utf8_length("\xe2\x82\xac"), 3);
  EXPECT_EQ(utf8_length("\xf0\x9f\x93\xa1"), 4);
  for (const char* bad :
       {"\x80", "\xc0\xaf", "\xc3", "\xe0\x80\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xff", "\xf0\x9f"}) {
    EXPECT_EQ(utf8_length(bad), 0) << bad;
  }
}

}  // namespace
}  // namespace mikroscope::base
