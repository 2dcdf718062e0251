// LEB128 variable-length integers and zigzag, with bounds checks: these bytes come from outside.
#pragma once

#include <cstdint>
#include <string_view>

namespace mikroscope::proc {

constexpr std::size_t kMaxVarint = 10;

constexpr std::uint64_t zigzag(std::uint64_t value) {  // of a two's complement difference
  return value << 1 ^ (0 - (value >> 63));
}
constexpr std::uint64_t unzigzag(std::uint64_t value) {
  return value >> 1 ^ (0 - (value & 1));
}

// Appends bytes to memory it does not own; overflow() once something did not fit.
class ByteWriter {
 public:
  ByteWriter(char* data, std::size_t capacity) : p_(data), start_(data), end_(data + capacity) {}

  void byte(std::uint8_t b) {
    if (p_ == end_) {
      overflow_ = true;
      return;
    }
    *p_++ = static_cast<char>(b);
  }
  // Not inlined: called from dozens of places, and a router's flash is small.
  [[gnu::noinline]] void varint(std::uint64_t value) {
    while (value >= 0x80) {
      byte(static_cast<std::uint8_t>(value | 0x80));
      value >>= 7;
    }
    byte(static_cast<std::uint8_t>(value));
  }
  void signed_varint(std::int64_t value) { varint(zigzag(static_cast<std::uint64_t>(value))); }
  void bytes(std::string_view b) {
    for (const char c : b) byte(static_cast<std::uint8_t>(c));
  }
  [[gnu::noinline]] void text(std::string_view t) {
    varint(t.size());
    bytes(t);
  }

  bool overflow() const { return overflow_; }
  std::size_t size() const { return static_cast<std::size_t>(p_ - start_); }
  std::string_view view() const { return {start_, size()}; }

 private:
  char* p_;
  char* start_;
  char* end_;
  bool overflow_ = false;
};

// Reads them back. After the first failure ok() is false and every read returns 0 or empty.
class ByteReader {
 public:
  explicit ByteReader(std::string_view data) : p_(data.data()), end_(data.data() + data.size()) {}

  std::uint8_t byte() {
    if (p_ == end_) return fail();
    return static_cast<std::uint8_t>(*p_++);
  }
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (p_ == end_) return fail();
      const auto b = static_cast<std::uint8_t>(*p_++);
      if (shift == 63 && b > 1) return fail();
      value |= static_cast<std::uint64_t>(b & 0x7F) << shift;
      if (b < 0x80) return value;
    }
    return fail();
  }
  std::int64_t signed_varint() { return static_cast<std::int64_t>(unzigzag(varint())); }
  // A varint that must not exceed `limit`.
  [[gnu::noinline]] std::uint64_t bounded(std::uint64_t limit) {
    const std::uint64_t value = varint();
    return value <= limit ? value : fail();
  }
  std::string_view bytes(std::uint64_t count) {
    if (count > left()) {
      fail();
      return {};
    }
    const std::string_view out(p_, static_cast<std::size_t>(count));
    p_ += count;
    return out;
  }
  [[gnu::noinline]] std::string_view text() { return bytes(varint()); }

  std::size_t left() const { return static_cast<std::size_t>(end_ - p_); }
  const char* position() const { return p_; }
  bool ok() const { return ok_; }
  std::uint8_t fail() {
    ok_ = false;
    p_ = end_;
    return 0;
  }

 private:
  const char* p_;
  const char* end_;
  bool ok_ = true;
};

}  // namespace mikroscope::proc
