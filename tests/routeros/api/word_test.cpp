#include "routeros/api/word.h"

#include <gtest/gtest.h>

namespace mikroscope::routeros {
namespace {

using namespace std::string_literals;
using State = LengthReader::State;

struct Length {
  std::uint32_t length;
  std::string octets;
};

const Length kLengths[] = {
    {0x00, "\x00"s},
    {0x01, "\x01"},
    {0x7F, "\x7F"},
    {0x80, "\x80\x80"},
    {0x87, "\x80\x87"},
    {0xFF, "\x80\xFF"},
    {0x100, "\x81\x00"s},
    {0x3FFF, "\xBF\xFF"},
    {0x4000, "\xC0\x40\x00"s},
    {0x4321, "\xC0\x43\x21"},
    {0x1FFFFF, "\xDF\xFF\xFF"},
    {0x200000, "\xE0\x20\x00\x00"s},
    {0x2ACDEF, "\xE0\x2A\xCD\xEF"},
    {0xFFFFFFF, "\xEF\xFF\xFF\xFF"},
    {0x10000000, "\xF0\x10\x00\x00\x00"s},
    {0x10000080, "\xF0\x10\x00\x00\x80"s},
    {0xFFFFFFFF, "\xF0\xFF\xFF\xFF\xFF"},
};

State read(LengthReader& reader, std::string_view octets) {
  State state = State::more;
  for (const char c : octets) {
    EXPECT_EQ(state, State::more);
    state = reader.put(static_cast<unsigned char>(c));
  }
  return state;
}

TEST(Word, LengthsAreWrittenInTheShortestForm) {
  for (const Length& l : kLengths) {
    std::string out;
    append_length(out, l.length);
    EXPECT_EQ(out, l.octets) << std::hex << l.length;
  }
}

TEST(Word, LengthsAreRead) {
  for (const Length& l : kLengths) {
    LengthReader reader;
    EXPECT_EQ(read(reader, l.octets), State::done) << std::hex << l.length;
    EXPECT_EQ(reader.length(), l.length);
  }
}

TEST(Word, ALongerFormThanNeededIsRead) {
  for (const std::string& octets :
       {"\x80\x05"s, "\xC0\x00\x05"s, "\xE0\x00\x00\x05"s, "\xF0\x00\x00\x00\x05"s}) {
    LengthReader reader;
    EXPECT_EQ(read(reader, octets), State::done);
    EXPECT_EQ(reader.length(), 5u);
  }
}

TEST(Word, ControlOctetsAreNoLengths) {
  for (int octet = 0xF1; octet <= 0xFF; ++octet) {
    LengthReader reader;
    EXPECT_EQ(reader.put(static_cast<unsigned char>(octet)), State::bad) << octet;
  }
}

TEST(Word, TheLengthCountsOctetsAndNotCharacters) {
  std::string out;
  append_word(out, "=comment=B\xC3\xBCro");
  EXPECT_EQ(out, "\x0E=comment=B\xC3\xBCro");
}

TEST(Word, ALoginIsEncodedAsTheManualSays) {
  EXPECT_EQ(encode_sentence({"/login", "=name=admin", "=password="}),
            "\x06/login\x0b=name=admin\x0a=password=\x00"s);
}

}  // namespace
}  // namespace mikroscope::routeros
