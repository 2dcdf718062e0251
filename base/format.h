// Numbers and JSON text into a bounded buffer: no locale, no floating point, no allocation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace mikroscope::base {

// Writes into memory that it does not own. What does not fit sets overflow() and writes nothing more: the
// caller drops the whole item, since a cut number is a wrong number.
class Writer {
 public:
  Writer(char* data, std::size_t capacity) : data_(data), capacity_(capacity) {}

  // Not inlined: these are called from hundreds of places, and a router's flash is small.
  [[gnu::noinline]] void put(char c);
  [[gnu::noinline]] void put(std::string_view text);
  // A literal, with its length known when compiling. (A char array that is no literal is refused: where its text ends
  // is not its size.)
  template <std::size_t N>
  [[gnu::always_inline]] void put(const char (&literal)[N]) {
    put(std::string_view(literal, N - 1));
  }
  template <std::size_t N>
  void put(char (&)[N]) = delete;
  void u64(std::uint64_t value);
  void i64(std::int64_t value);
  // An integer scaled by 10^decimals as a plain decimal: fixed(-5, 2) is -0.05.
  void fixed(std::int64_t value, int decimals);
  void hex32(std::uint32_t value);  // eight lower-case digits
  // A JSON string with its quotes. Control characters are escaped; bytes that are no valid UTF-8 become
  // U+FFFD.
  void json_string(std::string_view text);

  bool overflow() const { return overflow_; }
  std::size_t size() const { return size_; }
  std::size_t left() const { return capacity_ - size_; }
  std::string_view view() const { return {data_, size_}; }
  // Back to an earlier size(), forgetting an overflow: how a caller drops an item that did not fit.
  void rewind(std::size_t size) {
    size_ = size;
    overflow_ = false;
  }

 private:
  char* data_;
  std::size_t capacity_;
  std::size_t size_ = 0;
  bool overflow_ = false;
};

}  // namespace mikroscope::base
