// Expressions: operators, variables and the conditions of find.
#include <fmt/format.h>
#include <regex.h>

#include "tests/routersim/console/interpreter.h"
#include "tests/routersim/values.h"

namespace mikroscope::routersim::console {
namespace {

using Kind = Expr::Kind;
using Type = Value::Type;

bool matches(const std::string& text, const std::string& pattern) {
  regex_t compiled;
  if (::regcomp(&compiled, pattern.c_str(), REG_EXTENDED | REG_NOSUB) != 0)
    throw ScriptError("invalid regular expression");
  const bool found = ::regexec(&compiled, text.c_str(), 0, nullptr, 0) == 0;
  ::regfree(&compiled);
  return found;
}

}  // namespace

Value Interpreter::eval(const Expr& expr) {
  step();
  switch (expr.kind) {
    case Kind::literal:
      return expr.value;
    case Kind::text: {
      std::string out;
      for (const ExprPtr& part : expr.parts) out += to_text(eval(*part));
      return Value::of_text(std::move(out));
    }
    case Kind::variable:
      return variable(expr.text);
    case Kind::word:
      return word(expr.text);
    case Kind::command:
      return block_value(expr.block, true);
    case Kind::code:
      return {};
    case Kind::array: {
      Value out = Value::array();
      for (std::size_t i = 0; i < expr.parts.size(); ++i) {
        std::optional<std::string> key;
        if (expr.keys[i] != nullptr) key = to_text(eval(*expr.keys[i]));
        out.items.emplace_back(std::move(key), eval(*expr.parts[i]));
      }
      return out;
    }
    case Kind::unary: {
      const Value value = eval(*expr.parts[0]);
      if (expr.text == "!") return Value::of_flag(!truth(value));
      const auto number = to_number(value);
      if (!number) throw ScriptError(fmt::format("cannot negate {}", type_name(value)));
      return Value::of_number(expr.text == "-" ? -*number : ~*number);
    }
    case Kind::binary:
      return binary(expr);
  }
  return {};
}

Value Interpreter::binary(const Expr& expr) {
  const std::string& op = expr.text;
  if (op == "&&") return Value::of_flag(truth(eval(*expr.parts[0])) && truth(eval(*expr.parts[1])));
  if (op == "||") return Value::of_flag(truth(eval(*expr.parts[0])) || truth(eval(*expr.parts[1])));
  if (op == "=" || op == "!=" || op == "<" || op == ">" || op == "<=" || op == ">=")
    return Value::of_flag(compare(expr));
  const Value a = eval(*expr.parts[0]);
  const Value b = eval(*expr.parts[1]);
  if (op == "~") return Value::of_flag(matches(to_text(a), to_text(b)));
  if (op == "in") {
    const auto ip = parse_ip(a.text);
    const auto prefix = parse_prefix(b.text);
    if (!ip || !prefix)
      throw ScriptError(fmt::format("cannot check if {} is in {}", type_name(a), type_name(b)));
    return Value::of_flag(prefix->holds(*ip));
  }
  if (op == "->") {
    if (!a.is(Type::array)) return {};
    if (b.is(Type::num)) {
      const auto index = static_cast<std::size_t>(b.number);
      return b.number >= 0 && index < a.items.size() ? a.items[index].second : Value();
    }
    const Value* const found = a.find(to_text(b));
    return found == nullptr ? Value() : *found;
  }
  if (op == ",") {
    Value out = Value::array();
    for (const Value* side : {&a, &b}) {
      if (side->is(Type::array)) {
        out.items.insert(out.items.end(), side->items.begin(), side->items.end());
      } else {
        out.items.emplace_back(std::nullopt, *side);
      }
    }
    return out;
  }
  if (op == ".") {
    if (!a.is(Type::array) && !b.is(Type::array)) return Value::of_text(to_text(a) + to_text(b));
    // With an array every item is joined.
    Value out = Value::array();
    const Value& many = a.is(Type::array) ? a : b;
    for (const auto& [key, item] : many.items)
      out.items.emplace_back(
          key, Value::of_text(a.is(Type::array) ? to_text(item) + to_text(b) : to_text(a) + to_text(item)));
    return out;
  }
  return arithmetic(op, a, b);
}

Value Interpreter::arithmetic(const std::string& op, const Value& a, const Value& b) const {
  const bool times = a.is(Type::time) || b.is(Type::time);
  const auto left = times && a.is(Type::time) ? std::optional(a.number) : to_number(a);
  const auto right = times && b.is(Type::time) ? std::optional(b.number) : to_number(b);
  if (a.is(Type::ip) && right) {
    const auto moved = static_cast<std::uint32_t>(*parse_ip(a.text) + (op == "-" ? -*right : *right));
    return {Type::ip, 0, print_ip(moved), {}};
  }
  if (!left || !right)
    throw ScriptError(fmt::format("cannot {} {} to {}", op == "+" ? "add" : "apply " + op + " of",
                                  type_name(b), type_name(a)));
  const auto made = [times](std::int64_t number) {
    return Value{times ? Type::time : Type::num, number, {}, {}};
  };
  if (op == "+") return made(*left + *right);
  if (op == "-") return made(*left - *right);
  if (op == "*") return made(*left * *right);
  if (op == "&") return Value::of_number(*left & *right);
  if (op == "|") return Value::of_number(*left | *right);
  if (op == "^") return Value::of_number(*left ^ *right);
  if (op == "<<") return Value::of_number(*left << (*right & 63));
  if (op == ">>") return Value::of_number(*left >> (*right & 63));
  if (*right == 0) throw ScriptError("division by zero");
  return op == "/" ? made(*left / *right) : Value::of_number(*left % *right);
}

bool Interpreter::compare(const Expr& expr) {
  const Expr& left = *expr.parts[0];
  const Expr& right = *expr.parts[1];
  const std::string& op = expr.text;
  if (row_ != nullptr && left.kind == Kind::word && (op == "=" || op == "!=")) {
    // A bare word on the right is a variable, but for the fixed words of these two.
    const bool fixed = right.kind == Kind::word && (left.text == "chain" || left.text == "action");
    const Value wanted = fixed                      ? Value::of_text(right.text)
                         : right.kind == Kind::word ? variable(right.text)
                                                    : eval(right);
    return property_equals(left.text, row_->find(left.text), wanted) == (op == "=");
  }
  const Value a = eval(left);
  const Value b = eval(right);
  if (op == "=") return equal(a, b);
  if (op == "!=") return !equal(a, b);
  if (op == "<") return less(a, b);
  if (op == ">") return less(b, a);
  return op == "<=" ? !less(b, a) : !less(a, b);
}

Value Interpreter::word(const std::string& name) {
  if (row_ == nullptr) return variable(name);
  const std::string* const text = row_->find(name);
  if (text != nullptr) return property(name, *text);
  // A flag that is not set is not there.
  return variable(name).is(Type::nothing) ? Value{Type::nil, 0, {}, {}} : variable(name);
}

Value Interpreter::variable(const std::string& name) const {
  // Inside conditions the row's own properties hide variables of their name.
  if (row_ != nullptr) {
    if (const std::string* text = row_->find(name)) return property(name, *text);
  }
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    if (const auto found = scope->find(name); found != scope->end()) return found->second;
  }
  const auto found = globals_.find(name);
  return found == globals_.end() ? Value() : found->second;
}

Value* Interpreter::find_variable(const std::string& name) {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    if (const auto found = scope->find(name); found != scope->end()) return &found->second;
  }
  const auto found = globals_.find(name);
  return found == globals_.end() ? nullptr : &found->second;
}

std::string Interpreter::variable_name(const Expr& expr) {
  return to_text(eval(expr));
}

void Interpreter::set_variable(const Expr& name, Value value) {
  if (name.kind == Kind::binary && name.text == "->" && name.parts[0]->kind == Kind::variable) {
    Value* const target = find_variable(name.parts[0]->text);
    if (target == nullptr) throw ScriptError(fmt::format("no such variable {}", name.parts[0]->text));
    if (!target->is(Type::array)) *target = Value::array();
    const Value index = eval(*name.parts[1]);
    if (index.is(Type::num)) {
      const auto at = static_cast<std::size_t>(index.number);
      if (at < target->items.size()) {
        target->items[at].second = std::move(value);
      } else {
        target->items.emplace_back(std::nullopt, std::move(value));
      }
      return;
    }
    const std::string key = to_text(index);
    for (auto& [known, item] : target->items) {
      if (known == key) {
        item = std::move(value);
        return;
      }
    }
    target->items.emplace_back(key, std::move(value));
    return;
  }
  Value* const target = find_variable(variable_name(name));
  if (target == nullptr) throw ScriptError(fmt::format("no such variable {}", variable_name(name)));
  *target = std::move(value);
}

}  // namespace mikroscope::routersim::console
