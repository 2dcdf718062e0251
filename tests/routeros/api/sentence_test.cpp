#include <gtest/gtest.h>

#include "routeros/api/word.h"

namespace mikroscope::routeros {
namespace {

using namespace std::string_literals;

// All sentences of `octets`, given in pieces of `piece`.
std::vector<Sentence> read(SentenceReader& reader, std::string_view octets, std::size_t piece) {
  std::vector<Sentence> sentences;
  while (!octets.empty() && reader.error().empty()) {
    std::string_view part = octets.substr(0, piece);
    octets.remove_prefix(part.size());
    while (!part.empty() && reader.error().empty()) {
      part.remove_prefix(reader.feed(part));
      if (auto sentence = reader.take()) sentences.push_back(std::move(*sentence));
    }
  }
  return sentences;
}

TEST(SentenceReader, TakesPiecesOfAnySize) {
  // Empty sentences stand before, between and after.
  const std::string octets =
      "\x00\x06!empty\x06.tag=7\x00\x00\x00\x05!done\x06.tag=7\x00\x00\x03!re\x80\x80="s +
      std::string(127, 'v') + "\x00"s;
  const std::vector<Sentence> expected = {
      {"!empty", ".tag=7"}, {"!done", ".tag=7"}, {"!re", "=" + std::string(127, 'v')}};
  for (std::size_t piece = 1; piece <= octets.size(); ++piece) {
    SentenceReader reader;
    EXPECT_EQ(read(reader, octets, piece), expected) << piece;
    EXPECT_TRUE(reader.between_sentences());
    EXPECT_EQ(reader.error(), "");
  }
}

TEST(SentenceReader, KnowsWhetherItStandsInASentence) {
  const std::string octets = "\x03!re\x04=a=b\x00"s;
  for (std::size_t cut = 1; cut < octets.size(); ++cut) {
    SentenceReader reader;
    read(reader, octets.substr(0, cut), 1);
    EXPECT_FALSE(reader.between_sentences()) << cut;
  }
}

struct Long {
  std::size_t count;   // of 'x' behind "=v="
  std::string length;  // of the whole word, encoded by hand
};

TEST(SentenceReader, TakesLongWordsExactly) {
  const Long longs[] = {
      {124, "\x7F"},             // 127
      {125, "\x80\x80"},         // 128
      {126, "\x80\x81"},         // 129
      {253, "\x81\x00"s},        // 256
      {16380, "\xBF\xFF"},       // 16 383
      {16381, "\xC0\x40\x00"s},  // 16 384
      {44800, "\xC0\xAF\x03"},   // 44 803
  };
  for (const Long& l : longs) {
    const std::string value(l.count, 'x');
    SentenceReader reader;
    const auto sentences = read(reader, "\x03!re" + l.length + "=v=" + value + "\x00"s, 1000);
    ASSERT_EQ(sentences.size(), 1u) << l.count << reader.error();
    EXPECT_EQ(sentences[0], (Sentence{"!re", "=v=" + value})) << l.count;
  }
}

TEST(SentenceReader, KeepsEveryOctet) {
  SentenceReader reader;
  const auto sentences = read(
      reader,
      "\x03!re\x08=.id=*1A\x12=comment=caf\xE9 \xF0\x9F\x98\x80\x07=x==a=b\x07=empty=\x06=n=\0\n\r\x00"s, 3);
  ASSERT_EQ(sentences.size(), 1u) << reader.error();
  EXPECT_EQ(sentences[0], (Sentence{"!re", "=.id=*1A", "=comment=caf\xE9 \xF0\x9F\x98\x80", "=x==a=b",
                                    "=empty=", "=n=\0\n\r"s}));
}

TEST(SentenceReader, RefusesWhatIsTooLargeBeforeItComes) {
  SentenceReader giant;
  EXPECT_EQ(read(giant, "\x03!re\xF0\x7F\xFF\xFF\xFF"s, 1), std::vector<Sentence>{});
  EXPECT_NE(giant.error().find("2147483647"), std::string::npos) << giant.error();

  SentenceReader just_over;  // 16 MiB and one octet
  read(just_over, "\x03!re\xE1\x00\x00\x01"s, 1);
  EXPECT_NE(just_over.error().find("16777217"), std::string::npos) << just_over.error();

  SentenceReader just_right;  // 16 MiB
  const std::string word(std::size_t{16} << 20, 'x');
  const auto sentences = read(just_right, "\x03!re\xE1\x00\x00\x00"s + word + "\x00"s, 1 << 16);
  ASSERT_EQ(sentences.size(), 1u) << just_right.error();
  EXPECT_EQ(sentences[0][1].size(), word.size());
}

TEST(SentenceReader, RefusesASentenceWithoutEnd) {
  SentenceReader wide;
  std::string octets = "\x03!re"s;
  for (int i = 0; i < 4095; ++i) octets += "\x01x";
  read(wide, octets, 4096);
  EXPECT_EQ(wide.error(), "");
  read(wide, "\x01x", 1);
  EXPECT_NE(wide.error().find("4096 words"), std::string::npos) << wide.error();

  SentenceReader heavy;  // four words of 16 MiB and "!re" are above 64 MiB
  const std::string word = "\xE1\x00\x00\x00"s + std::string(std::size_t{16} << 20, 'x');
  read(heavy, "\x03!re" + word + word + word, 1 << 20);
  EXPECT_EQ(heavy.error(), "");
  read(heavy, word.substr(0, 4), 1);
  EXPECT_NE(heavy.error().find("67108864"), std::string::npos) << heavy.error();
}

TEST(SentenceReader, NamesAControlOctet) {
  for (const char* octet : {"F1", "F7", "F8", "FF"}) {
    SentenceReader reader;
    const auto value = static_cast<char>(std::stoi(octet, nullptr, 16));
    read(reader, "\x03!re"s + value, 1);
    EXPECT_NE(reader.error().find("0x"s + octet), std::string::npos) << reader.error();
    EXPECT_EQ(reader.feed("\x05!done"), 0u) << "nothing more is taken";
    EXPECT_EQ(reader.take(), std::nullopt);
  }
}

TEST(SentenceReader, SeesAtOnceThatItIsNoReply) {
  // 'H' and 'S' read as lengths of 72 and 83; a TLS alert as one of 21.
  for (const std::string& octets : {"HT"s, "SS"s, "\x15\x03"s, "\x05/"s}) {
    SentenceReader reader;
    read(reader, octets, 1);
    EXPECT_NE(reader.error(), "") << octets;
  }
}

}  // namespace
}  // namespace mikroscope::routeros
