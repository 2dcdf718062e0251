#include "agent/address.h"

#include <cstring>

#include "base/text.h"

namespace mikroscope::agent {
namespace {

constexpr int kParts = 8;  // of an IPv6 address, 16 bits each

// Four decimal numbers, none with a zero in front, to the end of the text.
bool parse_v4(std::string_view text, std::uint8_t* out) {
  base::Scanner s(text);
  for (int i = 0; i < 4; ++i) {
    if (i != 0 && !s.consume('.')) return false;
    const bool zero = s.consume('0');
    std::uint64_t part = 0;
    if (base::is_digit(s.peek()) == zero || (!zero && (!s.u64(part) || part > 255))) return false;
    out[i] = static_cast<std::uint8_t>(part);
  }
  return s.done();
}

bool parse_v6(std::string_view text, std::uint8_t* out) {
  base::Scanner s(text);
  int part = 0;
  int gap = -1;  // the part before which the zeroes of "::" belong
  if (s.consume("::")) gap = 0;
  while (!s.done()) {
    if (part == kParts) return false;
    const std::string_view rest = s.rest();
    std::uint64_t value = 0;
    if (base::is_space(s.peek()) || !s.hex(value)) return false;
    if (s.peek() == '.') {
      // The last 32 bits as an IPv4 address.
      if (part > kParts - 2 || !parse_v4(rest, out + 2 * part)) return false;
      part += 2;
      break;
    }
    if (rest.size() - s.rest().size() > 4) return false;
    out[2 * part] = static_cast<std::uint8_t>(value >> 8);
    out[2 * part + 1] = static_cast<std::uint8_t>(value);
    ++part;
    if (s.done()) break;
    if (!s.consume(':')) return false;
    if (s.peek() == ':') {
      if (gap >= 0) return false;
      s.consume(':');
      gap = part;
    } else if (s.done()) {
      return false;
    }
  }
  if (gap < 0) return part == kParts;
  if (part == kParts) return false;
  const auto tail = static_cast<std::size_t>(2 * (part - gap));
  std::memmove(out + 16 - tail, out + 2 * gap, tail);
  std::memset(out + 2 * gap, 0, static_cast<std::size_t>(2 * (kParts - part)));
  return true;
}

}  // namespace

bool parse_address(std::string_view text, Address& out) {
  out = {};
  if (parse_v4(text, out.bytes)) return true;
  out = {};
  out.v6 = true;
  return parse_v6(text, out.bytes);
}

}  // namespace mikroscope::agent
