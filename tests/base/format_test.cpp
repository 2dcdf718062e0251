#include "base/format.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace mikroscope::base {
namespace {

template <class F>
std::string written(F f) {
  char buffer[256];
  Writer w(buffer, sizeof buffer);
  f(w);
  EXPECT_FALSE(w.overflow());
  return std::string(w.view());
}

TEST(Writer, IntegersOfEveryLength) {
  std::uint64_t power = 1;
  for (int digits = 1; digits <= 20; ++digits) {
    for (const std::uint64_t v : {power - 1, power, power + 1}) {
      EXPECT_EQ(written([&](Writer& w) { w.u64(v); }), std::to_string(v));
    }
    power *= 10;
  }
  std::mt19937_64 random(3);
  for (int i = 0; i < 20000; ++i) {
    const std::uint64_t v = random() >> (random() % 64);
    ASSERT_EQ(written([&](Writer& w) { w.u64(v); }), std::to_string(v));
    ASSERT_EQ(written([&](Writer& w) { w.i64(static_cast<std::int64_t>(v)); }),
              std::to_string(static_cast<std::int64_t>(v)));
  }
  EXPECT_EQ(written([](Writer& w) { w.i64(INT64_MIN); }), "-9223372036854775808");
}

TEST(Writer, FixedPoint) {
  EXPECT_EQ(written([](Writer& w) { w.fixed(12, 2); }), "0.12");
  EXPECT_EQ(written([](Writer& w) { w.fixed(-5, 2); }), "-0.05");
  EXPECT_EQ(written([](Writer& w) { w.fixed(51234, 3); }), "51.234");
  EXPECT_EQ(written([](Writer& w) { w.fixed(0, 3); }), "0.000");
  EXPECT_EQ(written([](Writer& w) { w.fixed(-7, 0); }), "-7");
  EXPECT_EQ(written([](Writer& w) { w.fixed(INT64_MIN, 3); }), "-9223372036854775.808");
}

TEST(Writer, JsonStringsAreValidWhateverComes) {
  EXPECT_EQ(written([](Writer& w) { w.json_string("a\"b\\c\n\t\x01\x7f"); }),
            "\"a\\\"b\\\\c\\n\\t\\u0001\\u007f\"");
  EXPECT_EQ(written([](Writer& w) { w.json_string("\xc3\xa9\xf0\x9f\x93\xa1"); }),
            "\"\xc3\xa9\xf0\x9f\x93\xa1\"");
  EXPECT_EQ(written([](Writer& w) { w.json_string("Verst\xe4rker"); }), "\"Verst\\ufffdrker\"");
  EXPECT_EQ(written([](Writer& w) { w.json_string(std::string_view("a\0b", 3)); }), "\"a\\u0000b\"");
}

TEST(Writer, OverflowWritesNothingMoreAndCanBeUndone) {
  char buffer[8];
  Writer w(buffer, sizeof buffer);
  w.put("1234");
  const std::size_t mark = w.size();
  w.u64(1234567);
  EXPECT_TRUE(w.overflow());
  w.put("x");
  EXPECT_EQ(w.view(), "1234") << "no piece of what did not fit, and nothing after it";
  w.rewind(mark);
  EXPECT_FALSE(w.overflow());
  w.put("5678");
  EXPECT_EQ(w.view(), "12345678");
}

}  // namespace
}  // namespace mikroscope::base
