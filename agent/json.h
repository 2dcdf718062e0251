// Members and elements of JSON text with the commas in the right places.
#pragma once

#include <concepts>
#include <cstdint>
#include <string_view>

#include "base/format.h"

namespace mikroscope::agent {

// A text given as an argument; of a literal the length is known when compiling.
struct Name {
  std::string_view text;
  Name() = default;
  template <std::convertible_to<std::string_view> T>
  [[gnu::always_inline]] constexpr Name(const T& t) : text(t) {}  // NOLINT: meant to convert
  template <std::size_t N>
  [[gnu::always_inline]] constexpr Name(const char (&literal)[N]) : text(literal, N - 1) {}  // NOLINT
};

class Json {
 public:
  explicit Json(base::Writer& out) : out_(out) {}

  // An object or array as the value of `name`, or as an element where there is no name.
  void open(char bracket, Name name = {});
  void close(char bracket);
  // Members or elements, ready made but for the values at the % of base::Writer::print().
  template <class... Args>
  [[gnu::always_inline]] void print(base::Format<std::type_identity_t<Args>...> format, const Args&... args) {
    separate({});
    out_.print(format, args...);
  }
  void text(Name name, Name value);
  void number(Name name, std::uint64_t value);
  void signed_number(Name name, std::int64_t value);
  void fixed(Name name, std::int64_t value, int decimals);
  void boolean(Name name, bool value);
  // For a value that the caller writes itself.
  base::Writer& value(Name name = {});

 private:
  void separate(Name name);
  base::Writer& out_;
  bool first_ = true;
};

}  // namespace mikroscope::agent
