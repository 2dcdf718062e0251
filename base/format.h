// Numbers and JSON text into a bounded buffer: no locale, no floating point, no allocation.
#pragma once

#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

namespace mikroscope::base {

// What the arguments of Writer::print() are passed as.
struct PrintedText {
  const char* data;
  std::size_t size;
};
template <class T>
[[gnu::always_inline]] constexpr auto printed(const T& argument) {
  if constexpr (std::is_convertible_v<T, std::string_view>) {
    const std::string_view text = argument;
    return PrintedText{text.data(), text.size()};
  } else if constexpr (std::is_signed_v<T>) {
    return static_cast<std::int64_t>(argument);
  } else {
    return static_cast<std::uint64_t>(argument);
  }
}

constexpr std::string_view truth(bool value) {
  return value ? "true" : "false";
}

// A format for Writer::print(), checked against the arguments when compiling.
template <class... Args>
class Format {
 public:
  consteval Format(const char* format) : text(format) {  // NOLINT: meant to convert
    std::size_t i = 0;
    const bool is_text[] = {std::is_convertible_v<Args, std::string_view>..., false};
    const bool is_signed[] = {std::is_signed_v<Args>..., false};
    for (const char* p = format; *p != '\0'; ++p) {
      if (*p != '%') continue;
      ++p;
      const bool wants_text = *p == 's' || *p == 'j';
      const bool wants_signed = *p == 'd' || *p == 't';
      if (!wants_text && !wants_signed && *p != 'u') wrong();
      if (i >= sizeof...(Args) || is_text[i] != wants_text || (!wants_text && is_signed[i] != wants_signed))
        wrong();
      ++i;
    }
    if (i != sizeof...(Args)) wrong();
  }
  const char* text;

 private:
  static void wrong() {}  // not constexpr: reaching it is an error of compilation
};

// Writes into memory that it does not own. What does not fit sets overflow() and writes nothing more: the
// caller drops the whole item, since a cut number is a wrong number.
class Writer {
 public:
  Writer(char* data, std::size_t capacity) : data_(data), capacity_(capacity) {}

  // Not inlined: these are called from hundreds of places, and a router's flash is small.
  [[gnu::noinline]] void put(char c);
  [[gnu::noinline]] void put(std::string_view text);
  // A literal. Its length is looked for anew each time: one argument less at a hundred calls. (A char array
  // that is no literal is refused: where its text ends is not its size.)
  template <std::size_t N>
  [[gnu::always_inline]] void put(const char (&literal)[N]) {
    put_literal(literal);
  }
  template <std::size_t N>
  void put(char (&)[N]) = delete;
  // `format` with the arguments at its %u (unsigned), %d (signed), %t (signed thousandths, as fixed(n, 3)),
  // %s (text) and %j (text as a JSON string): one call, where a put() for each piece takes twice the code.
  template <class... Args>
  [[gnu::always_inline]] void print(Format<std::type_identity_t<Args>...> format, const Args&... args) {
    print_list(format.text, printed(args)...);
  }
  // The same for a function that takes such arguments itself, each as printed() passes it.
  void print_args(const char* format, std::va_list args);
  // Blanks until `to` columns are full, of which `used` are.
  void pad(std::size_t used, std::size_t to) {
    for (; used < to; ++used) put(' ');
  }
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
  void put_literal(const char* text);
  void print_list(const char* format, ...);

  char* data_;
  std::size_t capacity_;
  std::size_t size_ = 0;
  bool overflow_ = false;
};

}  // namespace mikroscope::base
