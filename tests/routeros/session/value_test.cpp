#include "routeros/session/value.h"

#include <gtest/gtest.h>

namespace mikroscope::routeros {
namespace {

constexpr std::int64_t kMs = 1'000'000;
constexpr std::int64_t kSecond = 1000 * kMs;

TEST(Value, ReadsBothSpellingsOfABoolean) {
  for (const char* text : {"true", "yes", "TRUE", "Yes"}) EXPECT_EQ(parse_bool(text), true) << text;
  for (const char* text : {"false", "no", "False", "NO"}) EXPECT_EQ(parse_bool(text), false) << text;
  for (const char* text : {"", "n/a", "1", "0", "yess", "tru", "on"})
    EXPECT_EQ(parse_bool(text), std::nullopt) << text;
}

TEST(Value, ReadsCountsOfDigitsOnly) {
  EXPECT_EQ(parse_count("0"), 0u);
  EXPECT_EQ(parse_count("1200"), 1200u);
  EXPECT_EQ(parse_count("18446744073709551615"), 18446744073709551615u);
  for (const char* text : {"", "n/a", "unknown", "-", "-5", "+5", "1 234", "12C", " 7", "7 ", "1.5", "0x10",
                           "18446744073709551616"})
    EXPECT_EQ(parse_count(text), std::nullopt) << text;
}

struct BytesCase {
  const char* text;
  std::uint64_t bytes;
};

TEST(Value, ReadsBytesInEveryUnit) {
  const BytesCase cases[] = {
      {"1048576", 1048576},
      {"0", 0},
      {"512B", 512},
      {"16k", 16384},
      {"16K", 16384},
      {"64M", 67108864},
      {"16MiB", 16777216},
      {"31.2MiB", 32715571},   // 31 x 1048576 + 209715 of 209715.2
      {"1924.1KiB", 1970278},  // 1924 x 1024 + 102 of 102.4
      {"1024.0MiB", 1073741824},
      {"2GiB", 2147483648},
      {"3.5 TiB", 3848290697216},
  };
  for (const BytesCase& c : cases) EXPECT_EQ(parse_bytes(c.text), c.bytes) << c.text;
  for (const char* text : {"", "n/a", "MiB", "-1M", "16MB/s", "16X", "1.M", ".5M", "9999999999TiB"})
    EXPECT_EQ(parse_bytes(text), std::nullopt) << text;
}

struct TimeCase {
  const char* text;
  std::int64_t ns;
};

TEST(Value, ReadsEverySpellingOfTime) {
  const TimeCase cases[] = {
      {"2w1d", 1296000 * kSecond},
      {"1w4d1h16m55s", 955015 * kSecond},
      {"6w6d18:33:07", 4213987 * kSecond},
      {"18:33:07", 66787 * kSecond},
      {"1m58s660ms", 118660 * kMs},
      {"453us", 453000},
      {"7ns", 7},
      {"0s", 0},
      {"5", 5 * kSecond},
      {"00:01:00", 60 * kSecond},
      {"1d00:00:00", 86400 * kSecond},
      {"00:00:07.123", 7123 * kMs},
      {"1.5s", 1500 * kMs},
      {"1w2d3h4m5s", 788645 * kSecond},  // 604800 + 172800 + 10800 + 240 + 5
      {"+02:00", 7200 * kSecond},
      {"-03:30", -12600 * kSecond},
      {"9223372036s", 9223372036 * kSecond},
  };
  for (const TimeCase& c : cases) EXPECT_EQ(parse_time(c.text), c.ns) << c.text;
}

TEST(Value, NoTimeIsNothing) {
  for (const char* text :
       {"",        "never",      "none", "n/a",  "unknown", "-",           "+",
        "5x",      "s",          "5s6m", "5s5s", "5m6",     "1:99:00",     "1:00:60",
        "1:2:3:4", "3h00:00:01", "12:",  "1.s",  "5 s",     "9223372037s", "99999999999999999999w"})
    EXPECT_EQ(parse_time(text), std::nullopt) << text;
}

TEST(Value, SplitsLists) {
  using List = std::vector<std::string_view>;
  EXPECT_EQ(split_list("ether1,ether2"), (List{"ether1", "ether2"}));
  EXPECT_EQ(split_list(" a ; b,c "), (List{"a", "b", "c"}));
  EXPECT_EQ(split_list("a,,;b,"), (List{"a", "b"}));
  EXPECT_EQ(split_list("one"), (List{"one"}));
  EXPECT_EQ(split_list(""), List{});
  EXPECT_EQ(split_list(","), List{});
}

}  // namespace
}  // namespace mikroscope::routeros
