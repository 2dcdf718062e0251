#include "tests/routersim/console/value.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "tests/routersim/values.h"

namespace mikroscope::routersim::console {
namespace {

using Type = Value::Type;

bool digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// Properties that are texts for the router even where they look like something else.
constexpr std::array<std::string_view, 27> kTexts = {
    "name",      "comment", "contents",   "message",    "dst-port", "src-port",     "to-ports",
    "version",   "value",   "key",        "list",       "file",     "root-dir",     "topics",
    "interface", "host",    "model",      "board-name", "password", "tag",          "envlist",
    "envlists",  "cmd",     "entrypoint", "hostname",   "data",     "serial-number"};
// Properties that a bare number in a find does equal.
constexpr std::array<std::string_view, 8> kNumbers = {"mtu",  "actual-mtu", "l2mtu", "size",
                                                      "port", "distance",   "free",  "restart-count"};

bool is_text(std::string_view name) {
  return std::find(kTexts.begin(), kTexts.end(), name) != kTexts.end();
}

bool is_flag(std::string_view text) {
  return text == "true" || text == "false" || text == "yes" || text == "no";
}

bool looks_like_number(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  const std::size_t dot = text.find('.');
  return dot == std::string_view::npos ? digits(text)
                                       : digits(text.substr(0, dot)) && digits(text.substr(dot + 1));
}

std::string time_text(std::int64_t ms) {
  std::string out = ms < 0 ? "-" : "";
  ms = std::abs(ms);
  const std::int64_t days = ms / 86'400'000;
  if (days >= 7) out += fmt::format("{}w", days / 7);
  if (days % 7 > 0) out += fmt::format("{}d", days % 7);
  out += fmt::format("{:02}:{:02}:{:02}", ms / 3'600'000 % 24, ms / 60'000 % 60, ms / 1000 % 60);
  if (ms % 1000 > 0) out += fmt::format(".{:03}", ms % 1000);
  return out;
}

std::string json_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) {
          out += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
        } else {
          out += c;
        }
    }
  }
  return out + '"';
}

}  // namespace

const Value* Value::find(std::string_view key) const {
  for (const Item& item : items) {
    if (item.first == key) return &item.second;
  }
  return nullptr;
}

std::string_view type_name(const Value& value) {
  constexpr std::string_view kNames[] = {"nothing", "nil", "bool",      "num", "str",
                                         "time",    "ip",  "ip-prefix", "id",  "array"};
  return kNames[static_cast<std::size_t>(value.type)];
}

std::string to_text(const Value& value) {
  switch (value.type) {
    case Type::nothing:
    case Type::nil:
      return "";
    case Type::boolean:
      return value.number != 0 ? "true" : "false";
    case Type::num:
      return std::to_string(value.number);
    case Type::time:
      return time_text(value.number);
    case Type::str:
    case Type::ip:
    case Type::prefix:
    case Type::id:
      return value.text;
    case Type::array:
      break;
  }
  std::string out;
  for (const auto& [key, item] : value.items) {
    if (!out.empty()) out += ';';
    if (key) out += *key + '=';
    out += to_text(item);
  }
  return out;
}

bool truth(const Value& value) {
  if (value.is(Type::boolean)) return value.number != 0;
  if (value.is(Type::nothing) || value.is(Type::nil)) return false;
  throw ScriptError("conditional not boolean");
}

std::optional<std::int64_t> to_number(const Value& value) {
  if (value.is(Type::num) || value.is(Type::boolean)) return value.number;
  if (value.is(Type::time)) return value.number / 1000;
  if (!value.is(Type::str)) return std::nullopt;
  std::string_view text = value.text;
  const bool minus = text.starts_with('-');
  if (minus) text.remove_prefix(1);
  if (!digits(text) || text.size() > 18) return std::nullopt;
  const std::int64_t number = std::stoll(std::string(text));
  return minus ? -number : number;
}

std::optional<Value> typed_literal(std::string_view word) {
  if (word == "true" || word == "yes") return Value::of_flag(true);
  if (word == "false" || word == "no") return Value::of_flag(false);
  if (word.starts_with("0x") && word.size() > 2 && word.size() < 17 &&
      word.substr(2).find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos)
    return Value::of_number(static_cast<std::int64_t>(std::strtoull(std::string(word).c_str(), nullptr, 16)));
  std::string_view number = word;
  if (number.starts_with('-')) number.remove_prefix(1);
  if (digits(number) && number.size() <= 18) return Value::of_number(std::stoll(std::string(word)));
  if (word.size() > 1 && word.front() == '*' &&
      word.substr(1).find_first_not_of("0123456789ABCDEF") == std::string_view::npos)
    return Value::of_id(std::string(word));
  if (word.empty() || word.front() < '0' || word.front() > '9') return std::nullopt;
  if (parse_ip(word)) return Value{Type::ip, 0, std::string(word), {}};
  if (word.find('/') != std::string_view::npos && parse_prefix(word))
    return Value{Type::prefix, 0, std::string(word), {}};
  if (const auto ms = parse_span(word)) return Value{Type::time, *ms, {}, {}};
  return std::nullopt;
}

Value property(std::string_view name, const std::string& text) {
  if (name == ".id") return Value::of_id(text);
  if (is_text(name)) return Value::of_text(text);
  if (text == "true" || text == "yes") return Value::of_flag(true);
  if (text == "false" || text == "no") return Value::of_flag(false);
  if (digits(text) && text.size() <= 18) return Value::of_number(std::stoll(text));
  if (parse_ip(text)) return {Type::ip, 0, text, {}};
  if (text.find('/') != std::string::npos && parse_prefix(text)) return {Type::prefix, 0, text, {}};
  return Value::of_text(text);
}

bool property_equals(std::string_view name, const std::string* text, const Value& wanted) {
  const std::string_view here = text == nullptr ? std::string_view() : std::string_view(*text);
  switch (wanted.type) {
    case Type::str:
      // A flag is no text.
      return !(text != nullptr && is_flag(here) && !is_text(name)) && here == wanted.text;
    case Type::boolean:
      if (is_text(name)) return false;
      return (here == "true" || here == "yes") == (wanted.number != 0) && (text == nullptr || is_flag(here));
    case Type::num:
      return std::find(kNumbers.begin(), kNumbers.end(), name) != kNumbers.end() &&
             here == std::to_string(wanted.number);
    case Type::id:
      return here == wanted.text;
    default:
      return false;
  }
}

bool equal(const Value& a, const Value& b) {
  if (a.type != b.type) return false;
  if (a.is(Type::nothing) || a.is(Type::nil)) return true;
  if (!a.is(Type::array)) return a.number == b.number && a.text == b.text;
  return std::equal(a.items.begin(), a.items.end(), b.items.begin(), b.items.end(),
                    [](const Value::Item& x, const Value::Item& y) {
                      return x.first == y.first && equal(x.second, y.second);
                    });
}

bool less(const Value& a, const Value& b) {
  if (a.type != b.type)
    throw ScriptError(fmt::format("cannot compare if {} is less than {}", type_name(a), type_name(b)));
  switch (a.type) {
    case Type::num:
    case Type::time:
      return a.number < b.number;
    case Type::ip:
      return *parse_ip(a.text) < *parse_ip(b.text);
    default:
      return to_text(a) < to_text(b);
  }
}

std::string to_json(const Value& value, bool convert) {
  switch (value.type) {
    case Type::nothing:
    case Type::nil:
      return "null";
    case Type::boolean:
    case Type::num:
      return to_text(value);
    case Type::str:
      if (convert && looks_like_number(value.text))
        return fmt::format("{:.6f}", std::strtod(value.text.c_str(), nullptr));
      return json_text(value.text);
    case Type::time:
    case Type::ip:
    case Type::prefix:
    case Type::id:
      return json_text(to_text(value));
    case Type::array:
      break;
  }
  const bool keyed = std::any_of(value.items.begin(), value.items.end(),
                                 [](const Value::Item& item) { return item.first.has_value(); });
  std::string out;
  for (const auto& [key, item] : value.items) {
    if (!out.empty()) out += ',';
    if (keyed) out += json_text(key.value_or("")) + ':';
    out += to_json(item, convert);
  }
  return keyed ? '{' + out + '}' : '[' + out + ']';
}

}  // namespace mikroscope::routersim::console
