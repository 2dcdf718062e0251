#include "proc/reader/shape.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/text.h"
#include "proc/reader/json_scan.h"

namespace mikroscope::proc {
namespace {

constexpr std::size_t kMaxShapes = 6;  // of one table: rows that are read at a slower cadence come and go

inline std::uint64_t word_at(const char* p) {
  std::uint64_t w = 0;
  std::memcpy(&w, p, sizeof w);
  return w;
}

// Whether `n` bytes are the same. The literals are short and of changing length: two overlapping words, or
// blocks of sixteen bytes and one overlapping last block, are quicker than a call of memcmp.
inline bool same_bytes(const char* a, const char* b, std::size_t n) {
  using Block = std::uint64_t __attribute__((vector_size(16)));
  const auto block = [](const char* p) {
    Block w;
    std::memcpy(&w, p, sizeof w);
    return w;
  };
  if (n >= 16) {
    Block difference = block(a + n - 16) ^ block(b + n - 16);
    for (std::size_t i = 0; i + 16 < n; i += 16) difference |= block(a + i) ^ block(b + i);
    return (difference[0] | difference[1]) == 0;
  }
  if (n >= 8) return ((word_at(a) ^ word_at(b)) | (word_at(a + n - 8) ^ word_at(b + n - 8))) == 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (a[i] != b[i]) return false;
  }
  return true;
}

// One to seven digits at `p`, of which eight bytes are readable, without a branch on how many they are; that
// number is the result. 0: something else stands there, or more digits.
inline unsigned short_number(const char* p, std::int64_t& out) {
  if constexpr (std::endian::native != std::endian::little) return 0;
  constexpr std::uint64_t kOnes = 0x0101010101010101;
  // Digits become 0 to 9. The highest bit of anything greater is set after adding 0x76, or was set before.
  const std::uint64_t digits = word_at(p) ^ (kOnes * '0');
  const std::uint64_t other = (((digits & (kOnes * 0x7F)) + kOnes * 0x76) | digits) & (kOnes * 0x80);
  if (other == 0) return 0;
  const auto bits = static_cast<unsigned>(std::countr_zero(other)) & ~7U;
  if (bits == 0) return 0;
  // The last digit moves to the top, and zeros stand before the first. Then neighbours are joined, each time
  // by one multiplication: to numbers of two digits, of four, of eight.
  std::uint64_t v = digits << (64 - bits);
  v = (v * (1 + (std::uint64_t{10} << 8)) >> 8) & 0x00FF00FF00FF00FF;
  v = (v * (1 + (std::uint64_t{100} << 16)) >> 16) & 0x0000FFFF0000FFFF;
  v = v * (1 + (std::uint64_t{10'000} << 32)) >> 32;
  out = static_cast<std::int64_t>(v);
  return bits / 8;
}

// Whether `,"name":` stands at `p`.
bool at_member(const char* p, const char* end) {
  if (end - p < 5 || p[0] != ',' || p[1] != '"') return false;
  const char* q = p + 2;
  while (q != end && ((*q >= 'a' && *q <= 'z') || (*q >= '0' && *q <= '9') || *q == '_')) ++q;
  return q != p + 2 && end - q >= 2 && q[0] == '"' && q[1] == ':';
}

// The end of the array or object that begins at `p`, for a table within a sample; nullptr: read it character
// by character. Its closing bracket is the first one that ends the sample or has a further member behind it
// (within a text the quotes of one would be escaped), unless there is nesting.
const char* end_of_table(const char* p, const char* end) {
  const char close = p != end && *p == '[' ? ']' : p != end && *p == '{' ? '}' : '\0';
  if (close == '\0') return nullptr;
  const char* q = p + 1;
  for (;;) {
    q = static_cast<const char*>(std::memchr(q, close, static_cast<std::size_t>(end - q)));
    if (q == nullptr || ++q == end) return nullptr;
    if ((*q == '}' && q + 1 == end) || at_member(q, end)) break;
  }
  return std::memchr(p + 1, *p, static_cast<std::size_t>(q - p - 1)) == nullptr ? q : nullptr;
}

bool try_skip(const Shape& shape, const char*& p, const char* end) {
  const std::size_t length = shape.text.size();
  if (static_cast<std::size_t>(end - p) <= length || std::memcmp(p, shape.text.data(), length) != 0)
    return false;
  const char* const value = p + length;
  if (const char* const behind = end_of_table(value, end); behind != nullptr) {
    p = behind;
    return true;
  }
  JsonScan in(std::string_view(value, static_cast<std::size_t>(end - value)));
  if (in.skip_value().empty()) return false;
  p = in.position();
  return true;
}

}  // namespace

bool fast_number(const char*& p, const char* end, int decimals, std::int64_t& out) {
  const char* q = p;
  const bool negative = q != end && *q == '-';
  if (negative) ++q;
  const char* const first = q;
  std::uint64_t value = 0;
  for (unsigned digit = 0; (digit = static_cast<unsigned char>(*q) - unsigned{'0'}) < 10; ++q)
    value = value * 10 + digit;
  if (q == first || q - first > 19) return false;
  if (decimals != 0) {
    if (q == end || *q != '.') return false;
    ++q;
    for (int i = 0; i < decimals; ++i, ++q) {
      if (q == end || !base::is_digit(*q)) return false;
      value = value * 10 + static_cast<std::uint64_t>(*q - '0');
    }
  }
  if (q == end || base::is_digit(*q) || *q == '.' || *q == 'e' || *q == 'E') return false;
  if (value > static_cast<std::uint64_t>(INT64_MAX)) return false;
  out = negative ? -static_cast<std::int64_t>(value) : static_cast<std::int64_t>(value);
  p = q;
  return true;
}

bool Shapes::try_table(const Shape& shape, const char*& p, const char* end, LearnedTables::Cells& cells) {
  const char* q = p;
  const char* literal = shape.text.data();
  std::int64_t* const out = cells.values.data();
  for (const Shape::Step& step : shape.steps) {
    const std::size_t length = step.length;
    const auto left = static_cast<std::size_t>(end - q);
    if (left < length || !same_bytes(q, literal, length)) return false;
    q += length;
    literal += length;
    // What follows a number in a shape cannot be part of one, so that it need not be looked at here.
    unsigned digits = 0;
    if (step.decimals == 0 && left >= length + 8) digits = short_number(q, out[step.slot]);
    q += digits;
    if (digits == 0 && !fast_number(q, end, step.decimals, out[step.slot])) return false;
  }
  const auto left = static_cast<std::size_t>(shape.text.data() + shape.text.size() - literal);
  if (static_cast<std::size_t>(end - q) < left || std::memcmp(q, literal, left) != 0) return false;
  // Presence is set only now: a shape that fails half way must leave none behind.
  std::uint8_t* const marks = cells.present.data();
  for (const Shape::Step& step : shape.steps) marks[step.slot] = 1;
  p = q + left;
  return true;
}

bool Shapes::match(const char*& p, const char* end, LearnedTables::Cells& cells) {
  // Tables that this line lacks (a slower cadence) are passed over.
  for (std::size_t at = position_; at < places_.size(); ++at) {
    std::vector<Shape>& place = places_[at];
    for (std::size_t i = 0; i < place.size(); ++i) {
      if (place[i].skip ? !try_skip(place[i], p, end) : !try_table(place[i], p, end, cells)) continue;
      position_ = at + 1;
      if (i != 0) std::swap(place[i], place[i - 1]);
      return true;
    }
  }
  return false;
}

void Shapes::keep(Shape shape) {
  // Shapes stay in the order of the line, one place per table.
  auto place = std::find_if(places_.begin(), places_.end(), [&](const auto& s) {
    return !s.empty() && s.front().skip == shape.skip &&
           (shape.skip ? s.front().text == shape.text : s.front().table == shape.table);
  });
  if (place == places_.end()) {
    const std::size_t at = std::min(position_, places_.size());
    place = places_.emplace(places_.begin() + static_cast<std::ptrdiff_t>(at));
  }
  position_ = static_cast<std::size_t>(place - places_.begin()) + 1;
  if (shape.skip && !place->empty()) return;  // out of its usual order
  if (place->size() == kMaxShapes) place->pop_back();
  place->insert(place->begin(), std::move(shape));
}

}  // namespace mikroscope::proc
