// What can fail returns a Result. An Error says what was tried, on what, what came back, and what to do about
// it.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace mikroscope::base {

// Exit codes of the CLI (docs/exit-codes.md is made from kExitCodes).
enum class Exit : int {
  ok = 0,
  failed = 1,
  usage = 2,
  auth = 3,
  no_data = 4,
  refused = 5,
  interrupted = 130,
};

struct Error {
  std::string what;  // one line: what was tried, on what, and what came back
  std::string fix;   // a command or a sentence that helps; may be empty
  Exit exit = Exit::failed;
};

// E is Error but for the sessions with routers (routeros/session/trouble.h).
template <class T, class E = Error>
class [[nodiscard]] Result {
 public:
  Result(T value) : v_(std::in_place_index<0>, std::move(value)) {}
  Result(E error) : v_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return v_.index() == 0; }
  explicit operator bool() const { return ok(); }
  T& value() & { return std::get<0>(v_); }
  const T& value() const& { return std::get<0>(v_); }
  T&& value() && { return std::get<0>(std::move(v_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  const E& error() const& { return std::get<1>(v_); }
  E&& error() && { return std::get<1>(std::move(v_)); }

 private:
  std::variant<T, E> v_;
};

template <class E>
class [[nodiscard]] Result<void, E> {
 public:
  Result() = default;
  Result(E error) : error_(std::move(error)) {}

  bool ok() const { return !error_; }
  explicit operator bool() const { return ok(); }
  const E& error() const& { return *error_; }
  E&& error() && { return std::move(*error_); }

 private:
  std::optional<E> error_;
};

}  // namespace mikroscope::base
