// Forward-only scanning of kernel text. No locale, no allocation, no exceptions: the agent links this.
#pragma once

#include <cstdint>
#include <string_view>

namespace mikroscope::base {

inline bool is_space(char c) {
  return c == ' ' || c == '\t';
}

inline bool is_digit(char c) {
  return static_cast<unsigned char>(c - '0') < 10;
}

// A cursor over text. Every method moves forward only and never past the end.
class Scanner {
 public:
  explicit constexpr Scanner(std::string_view text) : p_(text.data()), end_(text.data() + text.size()) {}

  bool done() const { return p_ == end_; }
  std::string_view rest() const { return {p_, static_cast<std::size_t>(end_ - p_)}; }
  char peek() const { return p_ == end_ ? '\0' : *p_; }

  void skip_spaces() {
    while (p_ != end_ && is_space(*p_)) ++p_;
  }
  // The next line without its '\n' (and without a '\r' before it). A last line without '\n' counts.
  std::string_view line();
  // The next run of non-blank characters; empty at the end.
  std::string_view word();
  // Everything up to, and moving past, `stop`. Without `stop` in the text: false, and nothing moves.
  bool until(char stop, std::string_view& out);
  bool consume(char c) {
    if (p_ == end_ || *p_ != c) return false;
    ++p_;
    return true;
  }
  bool consume(std::string_view prefix);
  template <std::size_t N>
  [[gnu::always_inline]] bool consume(const char (&prefix)[N]) {
    return consume(std::string_view(prefix, N - 1));
  }

  // Skips blanks, then reads an unsigned decimal. False (and only blanks skipped) where no digit stands or
  // the number does not fit 64 bits: an overlong number is bad input, not a smaller number.
  bool u64(std::uint64_t& out);
  // The same with an optional '-'.
  bool i64(std::int64_t& out);
  // Hexadecimal digits without prefix (softnet_stat).
  bool hex(std::uint64_t& out);
  // A decimal such as 0.12 or 12 as an integer scaled by 10^decimals; further digits are cut off.
  bool decimal(int decimals, std::int64_t& out);

 private:
  const char* p_;
  const char* end_;
};

// The whole of `text` as a number, blanks and a final newline allowed around it.
bool parse_u64(std::string_view text, std::uint64_t& out);
bool parse_i64(std::string_view text, std::int64_t& out);

// `text` without blanks, '\n', '\r' and NUL at both ends.
std::string_view trim(std::string_view text);

// The length of the longest valid UTF-8 sequence that starts `text` (1 to 4), or 0 where it starts none.
int utf8_length(std::string_view text);

}  // namespace mikroscope::base
