#include "routeros/session/text.h"

#include <gtest/gtest.h>

namespace mikroscope::routeros {
namespace {

using namespace std::string_view_literals;

TEST(Text, KnowsCodePagesByTheirNames) {
  EXPECT_EQ(parse_code_page("cp1251"), CodePage::cp1251);
  EXPECT_EQ(parse_code_page("CP1250"), CodePage::cp1250);
  EXPECT_EQ(parse_code_page("windows-1252"), CodePage::cp1252);
  EXPECT_EQ(parse_code_page("1251"), CodePage::cp1251);
  EXPECT_EQ(parse_code_page("Latin1"), CodePage::latin1);
  EXPECT_EQ(parse_code_page("ISO-8859-1"), CodePage::latin1);
  for (const char* name : {"", "utf-8", "cp1253", "latin", "iso-8859-15"})
    EXPECT_EQ(parse_code_page(name), std::nullopt) << name;
}

TEST(Text, LeavesUtf8AsItIs) {
  EXPECT_EQ(decode_text("B\xC3\xBCro"), "Büro");
  EXPECT_EQ(decode_text("\xF0\x9F\x93\xA1", CodePage::cp1251), "📡");
  EXPECT_EQ(decode_text(""), "");
  EXPECT_EQ(decode_text("a\0b"sv), "a\0b"sv);
}

TEST(Text, ReadsAnythingElseThroughTheCodePage) {
  EXPECT_EQ(decode_text("Verst\xE4rker"), "Verstärker");
  EXPECT_EQ(decode_text("\xE0\xEF\xE0\xF0\xF2\xE0\xEC\xE5\xED\xF2", CodePage::cp1251), "апартамент");
  EXPECT_EQ(decode_text("\x8D\xF3\x9F", CodePage::cp1250), "Ťóź");
  EXPECT_EQ(decode_text("\x80 5", CodePage::cp1252), "€ 5");
  EXPECT_EQ(decode_text("\xA8", CodePage::cp1251), "Ё");
  EXPECT_EQ(decode_text("\xFF", CodePage::cp1251), "я");
  EXPECT_EQ(decode_text("\xFF", CodePage::cp1250), "˙");
  EXPECT_EQ(decode_text("\xFF", CodePage::latin1), "ÿ");
}

TEST(Text, AnOctetWithoutACharacterIsMarked) {
  EXPECT_EQ(decode_text("a\x81z"), "a\uFFFDz");
  EXPECT_EQ(decode_text("\x98", CodePage::cp1251), "\uFFFD");
}

// "caf\xE9 😀": one client wrote the first half, another one the second.
TEST(Text, OneValueMayHoldBoth) {
  EXPECT_EQ(decode_text("caf\xE9 \xF0\x9F\x98\x80"), "café 😀");
}

// Х and a closing quotation mark in CP1251, which as a pair are valid UTF-8 too.
TEST(Text, APairInACodePageIsNotTakenForUtf8) {
  EXPECT_EQ(decode_text("\xAB\xD6\xC5\xD5\xBB", CodePage::cp1251), "«ЦЕХ»");
}

TEST(Text, EscapesControlCharacters) {
  EXPECT_EQ(printable("two\nlines\tand\rmore"), "two\\nlines\\tand\\rmore");
  EXPECT_EQ(printable("\x1b[31mred\x7f"), "\\x1b[31mred\\x7f");
  EXPECT_EQ(printable("a\0b"sv), "a\\x00b");
  EXPECT_EQ(printable("\xC2\x9B"
                      "31m"),
            "\\x9b31m");
  EXPECT_EQ(printable("\x9B", CodePage::latin1), "\\x9b");
  EXPECT_EQ(printable("caf\xC3\xA9 \xC2\xA0x"), "café \u00A0x");
}

}  // namespace
}  // namespace mikroscope::routeros
