#include "base/format.h"

#include "base/text.h"

namespace mikroscope::base {
namespace {

constexpr char kPairs[] =
    "00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445464748495051"
    "525354"
    "5556575859606162636465666768697071727374757677787980818283848586878889909192939495969798"
    "99";

// Digits of a 32-bit value, written backwards from `end`; returns the first digit.
char* digits32(char* end, std::uint32_t value) {
  while (value >= 100) {
    const std::uint32_t pair = value % 100;
    value /= 100;
    *--end = kPairs[pair * 2 + 1];
    *--end = kPairs[pair * 2];
  }
  if (value >= 10) {
    *--end = kPairs[value * 2 + 1];
    *--end = kPairs[value * 2];
  } else {
    *--end = static_cast<char>('0' + value);
  }
  return end;
}

char* digits64(char* end, std::uint64_t value) {
  // Nine digits at a time keep the loop in 32 bits, where ARMv5 divides in one library call and not in four.
  while (value > UINT32_MAX) {
    const auto low = static_cast<std::uint32_t>(value % 1000000000U);
    value /= 1000000000U;
    char* const stop = end - 9;
    end = digits32(end, low);
    while (end != stop) *--end = '0';
  }
  return digits32(end, static_cast<std::uint32_t>(value));
}

}  // namespace

void Writer::put(char c) {
  if (size_ < capacity_) {
    data_[size_++] = c;
  } else {
    overflow_ = true;
  }
}

void Writer::put(std::string_view text) {
  if (text.empty()) return;  // its data may be a null pointer, which memcpy must not be given
  if (overflow_ || text.size() > capacity_ - size_) {
    overflow_ = true;
    return;
  }
  std::memcpy(data_ + size_, text.data(), text.size());
  size_ += text.size();
}

void Writer::put_literal(const char* text) {
  put(std::string_view(text));
}

void Writer::print_list(const char* format, ...) {
  std::va_list args;
  va_start(args, format);
  print_args(format, args);
  va_end(args);
}

void Writer::print_args(const char* format, std::va_list args) {
  while (*format != '\0') {
    const char* const start = format;
    while (*format != '\0' && *format != '%') ++format;
    put(std::string_view(start, static_cast<std::size_t>(format - start)));
    if (*format == '\0') break;
    const char kind = format[1];
    format += 2;
    if (kind == 'u') {
      u64(va_arg(args, std::uint64_t));
    } else if (kind == 'd') {
      i64(va_arg(args, std::int64_t));
    } else if (kind == 't') {
      fixed(va_arg(args, std::int64_t), 3);
    } else {
      const PrintedText text = va_arg(args, PrintedText);
      if (kind == 's') {
        put(std::string_view(text.data, text.size));
      } else {
        json_string(std::string_view(text.data, text.size));
      }
    }
  }
}

void Writer::u64(std::uint64_t value) {
  if (value < 10) {
    put(static_cast<char>('0' + value));
    return;
  }
  char buffer[20];
  char* const end = buffer + sizeof buffer;
  const char* const start = digits64(end, value);
  put(std::string_view(start, static_cast<std::size_t>(end - start)));
}

void Writer::i64(std::int64_t value) {
  if (value < 0) put('-');
  u64(value < 0 ? ~static_cast<std::uint64_t>(value) + 1 : static_cast<std::uint64_t>(value));
}

void Writer::fixed(std::int64_t value, int decimals) {
  if (decimals <= 0) {
    i64(value);
    return;
  }
  if (value < 0) put('-');
  std::uint64_t magnitude =
      value < 0 ? ~static_cast<std::uint64_t>(value) + 1 : static_cast<std::uint64_t>(value);
  char fraction[20];
  for (int i = decimals; i-- > 0;) {
    fraction[i] = static_cast<char>('0' + magnitude % 10);
    magnitude /= 10;
  }
  u64(magnitude);
  put('.');
  put(std::string_view(fraction, static_cast<std::size_t>(decimals)));
}

void Writer::hex32(std::uint32_t value) {
  for (int shift = 28; shift >= 0; shift -= 4) put("0123456789abcdef"[value >> shift & 0xF]);
}

void Writer::json_string(std::string_view text) {
  put('"');
  while (!text.empty()) {
    const auto c = static_cast<unsigned char>(text.front());
    if (c == '"' || c == '\\') {
      put('\\');
      put(static_cast<char>(c));
    } else if (c == '\n') {
      put("\\n");
    } else if (c == '\t') {
      put("\\t");
    } else if (c < 0x20 || c == 0x7F) {
      put("\\u00");
      put("0123456789abcdef"[c >> 4]);
      put("0123456789abcdef"[c & 0xF]);
    } else if (c < 0x80) {
      put(static_cast<char>(c));
    } else if (const int length = base::utf8_length(text); length > 0) {
      put(text.substr(0, static_cast<std::size_t>(length)));
      text.remove_prefix(static_cast<std::size_t>(length - 1));
    } else {
      put("\\ufffd");
    }
    text.remove_prefix(1);
  }
  put('"');
}

}  // namespace mikroscope::base
