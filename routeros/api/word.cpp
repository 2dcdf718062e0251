#include "routeros/api/word.h"

#include <fmt/format.h>

#include <utility>

namespace mikroscope::routeros {

void append_length(std::string& out, std::uint32_t length) {
  const auto put = [&out](std::uint32_t value) { out += static_cast<char>(value & 0xFF); };
  if (length >= 0x10000000) put(0xF0);
  if (length >= 0x200000) put(length >= 0x10000000 ? length >> 24 : length >> 24 | 0xE0);
  if (length >= 0x4000) put(length >= 0x200000 ? length >> 16 : length >> 16 | 0xC0);
  if (length >= 0x80) put(length >= 0x4000 ? length >> 8 : length >> 8 | 0x80);
  put(length);
}

void append_word(std::string& out, std::string_view word) {
  append_length(out, static_cast<std::uint32_t>(word.size()));
  out += word;
}

std::string encode_sentence(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) append_word(out, word);
  out += '\0';
  return out;
}

LengthReader::State LengthReader::put(unsigned char octet) {
  if (octets_++ == 0) {
    if (octet < 0x80) {
      length_ = octet;
    } else if (octet < 0xC0) {
      length_ = octet & 0x3FU, left_ = 1;
    } else if (octet < 0xE0) {
      length_ = octet & 0x1FU, left_ = 2;
    } else if (octet < 0xF0) {
      length_ = octet & 0x0FU, left_ = 3;
    } else if (octet == 0xF0) {
      left_ = 4;
    } else {
      return State::bad;
    }
  } else {
    length_ = length_ << 8 | octet;
    --left_;
  }
  return left_ == 0 ? State::done : State::more;
}

std::size_t SentenceReader::feed(std::string_view octets) {
  const std::size_t given = octets.size();
  while (!octets.empty() && error_.empty() && !complete_) {
    if (word_left_ == 0) {
      const auto octet = static_cast<unsigned char>(octets.front());
      octets.remove_prefix(1);
      const LengthReader::State state = length_.put(octet);
      if (state == LengthReader::State::bad)
        fail(fmt::format("octet 0x{:02X} where a word's length should begin", octet));
      if (state == LengthReader::State::done && begin_word(length_.length())) length_.reset();
      continue;
    }
    if (sentence_.empty() && word_.empty() && octets.front() != '!') {
      fail(fmt::format("a sentence that begins with octet 0x{:02X} and not with '!'",
                       static_cast<unsigned char>(octets.front())));
      break;
    }
    const std::string_view part = octets.substr(0, word_left_);
    word_ += part;
    word_left_ -= part.size();
    octets.remove_prefix(part.size());
    if (word_left_ != 0) break;
    sentence_.push_back(std::move(word_));
    word_.clear();
  }
  return given - octets.size();
}

// False: refused.
bool SentenceReader::begin_word(std::uint32_t length) {
  if (length == 0) {
    complete_ = !sentence_.empty();
    return true;
  }
  if (length > kMaxWord)
    fail(fmt::format("a word of {} octets, where at most {} are taken", length, kMaxWord));
  else if (sentence_octets_ + length > kMaxSentence)
    fail(fmt::format("a sentence of more than {} octets", kMaxSentence));
  else if (sentence_.size() == kMaxWords)
    fail(fmt::format("a sentence of more than {} words", kMaxWords));
  if (!error_.empty()) return false;
  word_left_ = length;
  sentence_octets_ += length;
  return true;
}

std::optional<Sentence> SentenceReader::take() {
  if (!complete_) return std::nullopt;
  complete_ = false;
  sentence_octets_ = 0;
  return std::exchange(sentence_, {});
}

void SentenceReader::fail(std::string why) {
  error_ = std::move(why);
  sentence_.clear();
  word_ = std::string();
  word_left_ = 0;
}

}  // namespace mikroscope::routeros
