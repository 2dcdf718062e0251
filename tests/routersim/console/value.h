// Values of the console language.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mikroscope::routersim::console {

// An error of a running command. The console prints it, unless a script catches it.
class ScriptError : public std::runtime_error {
 public:
  explicit ScriptError(const std::string& text, bool parsing = false)
      : std::runtime_error(text), parsing_(parsing) {}
  // Found before anything of the line ran: no on-error sees it.
  bool parsing() const { return parsing_; }

 private:
  bool parsing_;
};

struct Value {
  enum class Type : std::uint8_t { nothing, nil, boolean, num, str, time, ip, prefix, id, array };
  using Item = std::pair<std::optional<std::string>, Value>;  // key, or none

  Type type = Type::nothing;
  std::int64_t number = 0;  // num; boolean; time in milliseconds
  std::string text;         // str, ip, prefix, id: as written
  std::vector<Item> items;  // array

  static Value of_text(std::string text) { return {Type::str, 0, std::move(text), {}}; }
  static Value of_number(std::int64_t number) { return {Type::num, number, {}, {}}; }
  static Value of_flag(bool on) { return {Type::boolean, on ? 1 : 0, {}, {}}; }
  static Value of_id(std::string id) { return {Type::id, 0, std::move(id), {}}; }
  static Value array() { return {Type::array, 0, {}, {}}; }

  bool is(Type other) const { return type == other; }
  const Value* find(std::string_view key) const;
};

std::string_view type_name(const Value& value);  // as :typeof says
std::string to_text(const Value& value);         // as :tostr and :put do
bool truth(const Value& value);                  // of a condition; an error for what is none
std::optional<std::int64_t> to_number(const Value& value);

// A word without quotes: a number, time, address, id or flag; nothing when it is plain text.
std::optional<Value> typed_literal(std::string_view word);

// A property of a row as `get` returns it. Texts stay texts: names, comments, port lists.
Value property(std::string_view name, const std::string& text);

// Whether a row's property (null: absent) equals a value in a `find`. The console compares by type: a number
// or an address never equals a text, and nothing equals nothing.
bool property_equals(std::string_view name, const std::string* text, const Value& wanted);

bool equal(const Value& a, const Value& b);
// Less than; an error for types without an order.
bool less(const Value& a, const Value& b);

// `convert`: texts that look like numbers become numbers, with six decimals (json.no-string-conversion is
// not given).
std::string to_json(const Value& value, bool convert);

}  // namespace mikroscope::routersim::console
