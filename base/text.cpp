#include "base/text.h"

#include <cstring>

namespace mikroscope::base {

std::string_view Scanner::line() {
  if (p_ == end_) return {};
  const char* start = p_;
  const void* found = std::memchr(p_, '\n', static_cast<std::size_t>(end_ - p_));
  const char* stop = found != nullptr ? static_cast<const char*>(found) : end_;
  p_ = found != nullptr ? stop + 1 : end_;
  if (stop != start && stop[-1] == '\r') --stop;
  return {start, static_cast<std::size_t>(stop - start)};
}

std::string_view Scanner::word() {
  skip_spaces();
  const char* start = p_;
  while (p_ != end_ && !is_space(*p_) && *p_ != '\n') ++p_;
  return {start, static_cast<std::size_t>(p_ - start)};
}

bool Scanner::until(char stop, std::string_view& out) {
  for (const char* q = p_; q != end_; ++q) {
    if (*q != stop) continue;
    out = {p_, static_cast<std::size_t>(q - p_)};
    p_ = q + 1;
    return true;
  }
  return false;
}

bool Scanner::consume(std::string_view prefix) {
  if (!rest().starts_with(prefix)) return false;
  p_ += prefix.size();
  return true;
}

bool Scanner::u64(std::uint64_t& out) {
  skip_spaces();
  const char* q = p_;
  if (q == end_ || !is_digit(*q)) return false;
  // Up to nine digits stay in 32 bits: on 32-bit ARM a 64-bit multiplication is a library call.
  std::uint32_t small = 0;
  int digits = 0;
  while (q != end_ && is_digit(*q) && digits < 9) {
    small = small * 10 + static_cast<std::uint32_t>(*q - '0');
    ++q;
    ++digits;
  }
  std::uint64_t value = small;
  while (q != end_ && is_digit(*q)) {
    const auto digit = static_cast<std::uint64_t>(*q - '0');
    if (value > (UINT64_MAX - digit) / 10) return false;
    value = value * 10 + digit;
    ++q;
  }
  out = value;
  p_ = q;
  return true;
}

bool Scanner::i64(std::int64_t& out) {
  skip_spaces();
  const char* start = p_;
  const bool negative = consume('-');
  std::uint64_t magnitude = 0;
  const std::uint64_t limit = negative ? std::uint64_t{1} << 63 : (std::uint64_t{1} << 63) - 1;
  if (p_ == end_ || !is_digit(*p_) || !u64(magnitude) || magnitude > limit) {
    p_ = start;
    return false;
  }
  out = static_cast<std::int64_t>(negative ? ~magnitude + 1 : magnitude);
  return true;
}

bool Scanner::hex(std::uint64_t& out) {
  skip_spaces();
  const char* q = p_;
  std::uint64_t value = 0;
  for (; q != end_; ++q) {
    const char c = static_cast<char>(*q | 0x20);
    std::uint64_t digit = 0;
    if (is_digit(*q)) {
      digit = static_cast<std::uint64_t>(*q - '0');
    } else if (c >= 'a' && c <= 'f') {
      digit = static_cast<std::uint64_t>(c - 'a') + 10;
    } else {
      break;
    }
    if (value >> 60 != 0) return false;
    value = value << 4 | digit;
  }
  if (q == p_) return false;
  out = value;
  p_ = q;
  return true;
}

bool Scanner::decimal(int decimals, std::int64_t& out) {
  skip_spaces();
  const char* start = p_;
  const bool negative = consume('-');
  std::uint64_t value = 0;
  if (p_ == end_ || !is_digit(*p_) || !u64(value) || value > UINT32_MAX) {
    p_ = start;
    return false;
  }
  const bool has_fraction = consume('.');
  for (int i = 0; i < decimals; ++i) {
    value *= 10;
    if (has_fraction && p_ != end_ && is_digit(*p_)) value += static_cast<std::uint64_t>(*p_++ - '0');
  }
  while (has_fraction && p_ != end_ && is_digit(*p_)) ++p_;
  out = negative ? -static_cast<std::int64_t>(value) : static_cast<std::int64_t>(value);
  return true;
}

bool parse_u64(std::string_view text, std::uint64_t& out) {
  Scanner s(trim(text));
  return s.u64(out) && s.done();
}

bool parse_i64(std::string_view text, std::int64_t& out) {
  Scanner s(trim(text));
  return s.i64(out) && s.done();
}

std::string_view trim(std::string_view text) {
  const auto blank = [](char c) { return is_space(c) || c == '\n' || c == '\r' || c == '\0'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

int utf8_length(std::string_view text) {
  if (text.empty()) return 0;
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  int length = 0;
  std::uint32_t code = 0;
  std::uint32_t least = 0;
  if (first >= 0xC2 && first < 0xE0) {
    length = 2, code = first & 0x1FU, least = 0x80;
  } else if (first >= 0xE0 && first < 0xF0) {
    length = 3, code = first & 0x0FU, least = 0x800;
  } else if (first >= 0xF0 && first < 0xF5) {
    length = 4, code = first & 0x07U, least = 0x10000;
  } else {
    return 0;
  }
  if (text.size() < static_cast<std::size_t>(length)) return 0;
  for (int i = 1; i < length; ++i) {
    const unsigned char c = byte(static_cast<std::size_t>(i));
    if ((c & 0xC0U) != 0x80U) return 0;
    code = code << 6 | (c & 0x3FU);
  }
  const bool surrogate = code >= 0xD800 && code < 0xE000;
  return code < least || surrogate || code > 0x10FFFF ? 0 : length;
}

}  // namespace mikroscope::base
