// Varints and texts in byte strings, for blocks and shapes. Readers never run past the end of what they were
// given: they fail, and stay failed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace mikroscope::model {

inline std::uint64_t zigzag(std::int64_t v) {
  return (static_cast<std::uint64_t>(v) << 1) ^ static_cast<std::uint64_t>(v >> 63);
}
inline std::int64_t unzigzag(std::uint64_t v) {
  return static_cast<std::int64_t>(v >> 1) ^ -static_cast<std::int64_t>(v & 1);
}

// FNV-1a: the same in every process.
inline std::uint64_t fnv1a(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : bytes) hash = (hash ^ static_cast<std::uint8_t>(c)) * 0x100000001b3U;
  return hash;
}

class ByteWriter {
 public:
  explicit ByteWriter(std::string& out) : out_(out) {}
  void byte(std::uint8_t v) { out_.push_back(static_cast<char>(v)); }
  void number(std::uint64_t v) {
    while (v >= 0x80) {
      byte(static_cast<std::uint8_t>(v | 0x80));
      v >>= 7;
    }
    byte(static_cast<std::uint8_t>(v));
  }
  void integer(std::int64_t v) { number(zigzag(v)); }
  void text(std::string_view v) {
    number(v.size());
    out_.append(v);
  }

 private:
  std::string& out_;
};

class ByteReader {
 public:
  explicit ByteReader(std::string_view in) : in_(in) {}
  bool failed() const { return failed_; }
  bool at_end() const { return in_.empty(); }
  std::size_t left() const { return in_.size(); }
  void fail() {
    failed_ = true;
    in_ = {};
  }

  std::uint8_t byte() {
    if (in_.empty()) return fail(), 0;
    const auto v = static_cast<std::uint8_t>(in_.front());
    in_.remove_prefix(1);
    return v;
  }
  std::uint64_t number() {
    std::uint64_t v = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const std::uint8_t b = byte();
      if (shift == 63 && b > 1) break;
      v |= static_cast<std::uint64_t>(b & 0x7f) << shift;
      if ((b & 0x80) == 0) return v;
    }
    return fail(), 0;
  }
  std::int64_t integer() { return unzigzag(number()); }
  // A count of things of at least `least` bytes each: no more than there is room for.
  std::size_t count(std::size_t least = 1) {
    const std::uint64_t v = number();
    if (v > in_.size() / least) return fail(), 0;
    return static_cast<std::size_t>(v);
  }
  std::string_view text() {
    const std::size_t size = count();
    const std::string_view v = in_.substr(0, size);
    in_.remove_prefix(v.size());
    return v;
  }

 private:
  std::string_view in_;
  bool failed_ = false;
};

}  // namespace mikroscope::model
