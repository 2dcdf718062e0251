// The number scanner against the C library: the same value, or both refuse.
#include "base/text.h"

#include <errno.h>
#include <stdlib.h>

#include <cstddef>
#include <cstdint>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using mikroscope::base::Scanner;
  const std::string text(reinterpret_cast<const char*>(data), size);

  Scanner s(text);
  std::uint64_t value = 0;
  const std::size_t start = text.find_first_not_of(" \t");
  const bool digit = start != std::string::npos && mikroscope::base::is_digit(text[start]);
  errno = 0;
  char* end = nullptr;
  const std::uint64_t expected = digit ? strtoull(text.c_str() + start, &end, 10) : 0;
  const bool fits = digit && errno != ERANGE;
  if (s.u64(value) != fits) __builtin_trap();
  if (fits &&
      (value != expected || s.rest().size() != text.size() - static_cast<std::size_t>(end - text.c_str()))) {
    __builtin_trap();
  }

  // Whatever is asked for, a scanner moves forward only and never past the end.
  Scanner any(text);
  for (const char c : text) {
    const auto op = static_cast<std::uint8_t>(c);
    const std::size_t before = any.rest().size();
    std::int64_t number = 0;
    std::string_view part;
    switch (op % 8) {
      case 0:
        any.line();
        break;
      case 1:
        any.word();
        break;
      case 2:
        any.hex(value);
        break;
      case 3:
        any.i64(number);
        break;
      case 4:
        any.decimal(op % 5, number);
        break;
      case 5:
        any.until(static_cast<char>(op), part);
        break;
      case 6:
        any.consume(static_cast<char>(op));
        break;
      default:
        any.skip_spaces();
    }
    if (any.rest().size() > before) __builtin_trap();
  }
  return 0;
}
