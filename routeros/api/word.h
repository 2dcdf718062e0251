// Words and sentences of the RouterOS binary API on the wire: a word is its length and that many octets, a
// sentence is a run of words ended by an empty one.
//
//   length                 octets
//   0 … 0x7F               0xxxxxxx
//   0x80 … 0x3FFF          10xxxxxx + 1
//   0x4000 … 0x1FFFFF      110xxxxx + 2
//   0x200000 … 0xFFFFFFF   1110xxxx + 3
//   … 0xFFFFFFFF           11110000 + 4      all big endian
//
// F1 to F7 mean nothing, F8 to FF are control octets that none of them is defined for: no length follows, so
// a receiver that meets one has lost the thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mikroscope::routeros {

// What a router may send us before it is taken for something else. Checked before memory is taken.
inline constexpr std::size_t kMaxWord = std::size_t{16} << 20;
inline constexpr std::size_t kMaxSentence = std::size_t{64} << 20;
inline constexpr std::size_t kMaxWords = 4096;

// In the shortest form.
void append_length(std::string& out, std::uint32_t length);
// Octets are counted, not characters. An empty word would end the sentence: the caller has none.
void append_word(std::string& out, std::string_view word);
std::string encode_sentence(const std::vector<std::string>& words);

// Reads one length, octet by octet. Longer forms than needed are read too: the length is what counts.
class LengthReader {
 public:
  enum class State : std::uint8_t { more, done, bad };
  State put(unsigned char octet);
  std::uint32_t length() const { return length_; }
  int octets() const { return octets_; }  // put so far
  // For the next length.
  void reset() { *this = LengthReader(); }

 private:
  std::uint32_t length_ = 0;
  int octets_ = 0;
  int left_ = 0;
};

using Sentence = std::vector<std::string>;

// Sentences that a router sends, out of octets that come in any pieces. Replies begin with '!'; what begins
// otherwise is refused at its first octet, since on a wrong port a stray text reads as a length and the wait
// for its end would be long.
class SentenceReader {
 public:
  // Takes octets up to the end of a sentence. The number taken; fewer than given after a sentence or an
  // error.
  std::size_t feed(std::string_view octets);
  // The sentence that feed() completed, once. Empty sentences are passed over.
  std::optional<Sentence> take();
  // Why nothing more can be read; empty while all is well.
  const std::string& error() const { return error_; }
  bool between_sentences() const { return sentence_.empty() && word_left_ == 0 && length_.octets() == 0; }

 private:
  bool begin_word(std::uint32_t length);
  void fail(std::string why);

  LengthReader length_;
  std::string word_;
  std::size_t word_left_ = 0;
  Sentence sentence_;
  std::size_t sentence_octets_ = 0;
  bool complete_ = false;
  std::string error_;
};

}  // namespace mikroscope::routeros
