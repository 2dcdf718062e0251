// Members and elements of JSON text with the commas in the right places.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/format.h"

namespace mikroscope::agent {

class Json {
 public:
  explicit Json(base::Writer& out) : out_(out) {}

  // An object or array as the value of `name`, or as an element where there is no name.
  void open(char bracket, std::string_view name = {}) {
    separate(name);
    out_.put(bracket);
    first_ = true;
  }
  void close(char bracket) {
    out_.put(bracket);
    first_ = false;
  }
  void text(std::string_view name, std::string_view value) {
    separate(name);
    out_.json_string(value);
  }
  void number(std::string_view name, std::uint64_t value) {
    separate(name);
    out_.u64(value);
  }
  void signed_number(std::string_view name, std::int64_t value) {
    separate(name);
    out_.i64(value);
  }
  void fixed(std::string_view name, std::int64_t value, int decimals) {
    separate(name);
    out_.fixed(value, decimals);
  }
  void boolean(std::string_view name, bool value) {
    separate(name);
    out_.put(value ? "true" : "false");
  }
  // For a value that the caller writes itself.
  base::Writer& value(std::string_view name = {}) {
    separate(name);
    return out_;
  }

 private:
  void separate(std::string_view name) {
    if (!first_) out_.put(',');
    first_ = false;
    if (name.empty()) return;
    out_.json_string(name);
    out_.put(':');
  }
  base::Writer& out_;
  bool first_ = true;
};

}  // namespace mikroscope::agent
