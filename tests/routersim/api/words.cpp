#include "tests/routersim/api/words.h"

#include <cstdint>

namespace mikroscope::routersim {
namespace {

constexpr std::uint64_t kLongest = 64u << 20;

char octet(std::uint64_t value, int shift) {
  return static_cast<char>(value >> shift & 0xFF);
}

}  // namespace

void put_word(std::string& out, std::string_view word) {
  const std::uint64_t n = word.size();
  if (n < 0x80) {
    out += octet(n, 0);
  } else if (n < 0x4000) {
    out += {octet(n | 0x8000, 8), octet(n, 0)};
  } else if (n < 0x200000) {
    out += {octet(n | 0xC00000, 16), octet(n, 8), octet(n, 0)};
  } else if (n < 0x10000000) {
    out += {octet(n | 0xE0000000, 24), octet(n, 16), octet(n, 8), octet(n, 0)};
  } else {
    out += {'\xF0', octet(n, 24), octet(n, 16), octet(n, 8), octet(n, 0)};
  }
  out += word;
}

std::string encode(const Sentence& sentence) {
  std::string out;
  for (const std::string& word : sentence) put_word(out, word);
  out += '\0';
  return out;
}

std::optional<Sentence> Reader::next() {
  while (!broken_ && at_ < buffer_.size()) {
    const auto first = static_cast<unsigned char>(buffer_[at_]);
    if (first > 0xF0) {
      broken_ = true;
      break;
    }
    const std::size_t more = first < 0x80 ? 0 : first < 0xC0 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    if (buffer_.size() - at_ < 1 + more) return std::nullopt;
    constexpr unsigned kMask[] = {0x7F, 0x3F, 0x1F, 0x0F, 0x00};
    std::uint64_t length = first & kMask[more];
    for (std::size_t i = 1; i <= more; ++i)
      length = length << 8 | static_cast<unsigned char>(buffer_[at_ + i]);
    if (length > kLongest) {
      broken_ = true;
      break;
    }
    if (buffer_.size() - at_ < 1 + more + length) return std::nullopt;
    at_ += 1 + more;
    if (length > 0) {
      sentence_.push_back(buffer_.substr(at_, length));
      at_ += length;
      continue;
    }
    buffer_.erase(0, at_);
    at_ = 0;
    if (sentence_.empty()) continue;
    Sentence whole;
    whole.swap(sentence_);
    return whole;
  }
  return std::nullopt;
}

}  // namespace mikroscope::routersim
