#include "tests/routersim/console/interpreter.h"

#include <fmt/format.h>
#include <regex.h>

#include <algorithm>
#include <memory>

#include "tests/routersim/values.h"

namespace mikroscope::routersim::console {
namespace {

using Kind = Expr::Kind;
using Type = Value::Type;

constexpr int kMostSteps = 1'000'000;
constexpr int kMostDepth = 100;

bool matches(const std::string& text, const std::string& pattern) {
  regex_t compiled;
  if (::regcomp(&compiled, pattern.c_str(), REG_EXTENDED | REG_NOSUB) != 0)
    throw ScriptError("invalid regular expression");
  const bool found = ::regexec(&compiled, text.c_str(), 0, nullptr, 0) == 0;
  ::regfree(&compiled);
  return found;
}

// The router's word for a trap, as the console prints it.
std::string console_text(const Statement& statement, const Trap& trap) {
  const auto place = [&](int column) { return fmt::format("(line {} column {})", statement.line, column); };
  if (trap.message == "no such command prefix")
    return fmt::format("bad command name {} {}", statement.menu.substr(statement.menu.rfind('/') + 1),
                       place(statement.menu_column));
  if (trap.message == "no such command")
    return fmt::format("bad command name {} {}", statement.verb, place(statement.verb_column));
  if (trap.message.starts_with("unknown parameter"))
    return fmt::format("expected end of command {}", place(statement.verb_column));
  if (trap.message == "no such item (4)") return "no such item";
  return trap.message;
}

bool is_parsing(const Trap& trap) {
  return trap.message == "no such command prefix" || trap.message == "no such command" ||
         trap.message.starts_with("unknown parameter");
}

Value row_value(const Row& row) {
  Value out = Value::array();
  for (const auto& [name, text] : row) out.items.emplace_back(name, property(name, text));
  return out;
}

}  // namespace

Interpreter::Interpreter(Router& router, const User& user, const Grammar& grammar,
                         std::map<std::string, Value>& globals, const std::atomic<bool>* cancelled)
    : router_(router), user_(user), grammar_(grammar), globals_(globals), cancelled_(cancelled), scopes_(1) {}

void Interpreter::print(std::string_view text) {
  std::size_t from = 0;
  do {
    const std::size_t end = std::min(text.find('\n', from), text.size());
    std::string_view line = text.substr(from, end - from);
    if (line.ends_with('\r')) line.remove_suffix(1);
    output_ += line;
    output_ += "\r\n";
    from = end + 1;
  } while (from < text.size());
}

void Interpreter::step() {
  if (++steps_ > kMostSteps) throw ScriptError("script runs too long");
  if (cancelled_ != nullptr && *cancelled_) throw Cut{};
}

// --- statements ---

Value Interpreter::block_value(const Block& block, bool used) {
  if (++depth_ > kMostDepth) throw ScriptError("maximum depth reached");
  Value last;
  for (const Statement& one : block) {
    step();
    last = statement(one, used && &one == &block.back());
  }
  --depth_;
  return last;
}

Value Interpreter::statement(const Statement& statement, bool used) {
  switch (statement.kind) {
    case Statement::Kind::block: {
      scopes_.emplace_back();
      const std::size_t scopes = scopes_.size();
      try {
        block_value(statement.block, false);
      } catch (...) {
        scopes_.resize(scopes - 1);
        throw;
      }
      scopes_.pop_back();
      return {};
    }
    case Statement::Kind::global:
      return global(statement);
    case Statement::Kind::verb:
      return verb(statement, used);
  }
  return {};
}

void Interpreter::code(const Expr* expr) {
  if (expr == nullptr) return;
  if (expr->kind != Kind::code) {
    static_cast<void>(eval(*expr));
    return;
  }
  const std::size_t scopes = scopes_.size();
  const int depth = depth_;
  scopes_.emplace_back();
  try {
    block_value(expr->block, false);
  } catch (...) {
    scopes_.resize(scopes);
    depth_ = depth;
    throw;
  }
  scopes_.resize(scopes);
}

Value Interpreter::verb(const Statement& statement, bool used) {
  Request request;
  request.menu = statement.menu;
  request.verb = statement.verb;
  request.cancelled = cancelled_;
  bool none_named = false;
  for (const Arg& arg : statement.args) {
    if (arg.value == nullptr) {
      request.attributes.append(arg.name, "");
      continue;
    }
    const Value value = eval(*arg.value);
    if (arg.name == ".id" || arg.name == "numbers" || arg.name == "number") {
      if (value.is(Type::array) && value.items.empty()) none_named = true;
      std::string ids = to_text(value);
      std::replace(ids.begin(), ids.end(), ';', ',');
      request.attributes.append(".id", ids);
    } else {
      std::string text = to_text(value);
      if (value.is(Type::array)) std::replace(text.begin(), text.end(), ';', ',');
      request.attributes.append(arg.name == "proplist" ? ".proplist" : arg.name, text);
    }
  }
  // set and remove of what a find did not find do nothing; get needs something.
  if (none_named && statement.verb != "get") return {};
  if (none_named) throw ScriptError("no such item");
  if (statement.where != nullptr) {
    request.where = [this, &statement](const Row& row) {
      const Row* const outer = std::exchange(row_, &row);
      bool good = false;
      try {
        good = truth(eval(*statement.where));
      } catch (...) {
        row_ = outer;
        throw;
      }
      row_ = outer;
      return good;
    };
  }
  if (statement.verb == "get" && request.attributes.has(".id")) {
    // What a find gave can be read, whether the row is kept or only shown.
    request.where = [id = request.attributes.text(".id")](const Row& row) {
      return row.text(".id") == id || (row.has("name") && row.text("name") == id);
    };
  }
  const bool as_value = request.attributes.erase("as-value");
  const Outcome outcome = router_.execute(user_, request);
  if (outcome.cut || outcome.quit) throw Cut{};
  if (!outcome.printed.empty()) print(outcome.printed);
  if (!outcome.traps.empty())
    throw ScriptError(console_text(statement, outcome.traps.front()), is_parsing(outcome.traps.front()));
  if (!used && !as_value) show(statement, outcome);
  return outcome_value(statement, outcome);
}

Value Interpreter::outcome_value(const Statement& statement, const Outcome& outcome) {
  if (statement.verb == "find") {
    Value ids = Value::array();
    const std::string text = outcome.ret.value_or("");
    for (std::size_t from = 0; from < text.size();) {
      const std::size_t end = std::min(text.find(';', from), text.size());
      ids.items.emplace_back(std::nullopt, Value::of_id(text.substr(from, end - from)));
      from = end + 1;
    }
    return ids;
  }
  if (statement.verb == "get") {
    if (!outcome.ret) return outcome.rows.empty() ? Value::array() : row_value(outcome.rows.front());
    return property(text_of(statement, "value-name"), *outcome.ret);
  }
  if (statement.verb == "add") return Value::of_id(outcome.ret.value_or(""));
  if (outcome.ret)
    return statement.verb == "print" ? *typed_literal(*outcome.ret) : Value::of_text(*outcome.ret);
  if (statement.verb == "print") {
    Value rows = Value::array();
    for (const Row& row : outcome.rows) rows.items.emplace_back(std::nullopt, row_value(row));
    return rows;
  }
  return outcome.rows.empty() ? Value() : row_value(outcome.rows.front());
}

void Interpreter::show(const Statement& statement, const Outcome& outcome) {
  if (statement.verb == "print") {
    if (outcome.ret) {
      print(*outcome.ret);
    } else {
      output_ += shown_rows(outcome.rows, outcome.rows.size() == 1 && !outcome.rows.front().has(".id"));
    }
  } else if (statement.verb == "export") {
    print(outcome.ret.value_or(""));
  } else if (statement.verb == "fetch" || statement.verb == "read") {
    output_ += shown_rows(outcome.rows, true);
  }
}

// --- expressions ---

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

// --- arguments ---

const Expr* Interpreter::argument(const Statement& statement, std::string_view name) const {
  for (const Arg& arg : statement.args) {
    if (arg.name == name) return arg.value.get();
  }
  return nullptr;
}

bool Interpreter::has(const Statement& statement, std::string_view name) const {
  return std::any_of(statement.args.begin(), statement.args.end(),
                     [name](const Arg& arg) { return arg.name == name; });
}

Value Interpreter::value_of(const Statement& statement, std::string_view name) {
  const Expr* const expr = argument(statement, name);
  return expr == nullptr ? Value() : eval(*expr);
}

std::string shown_rows(const std::vector<Row>& rows, bool settings) {
  std::string out;
  std::size_t number = 0;
  for (const Row& row : rows) {
    if (settings) {
      std::size_t width = 0;
      for (const auto& [name, value] : row) width = std::max(width, name.size());
      for (const auto& [name, value] : row) out += fmt::format("  {:>{}}: {}\r\n", name, width, value);
      continue;
    }
    out += fmt::format("{:>2}  ", number++);
    for (const auto& [name, value] : row) {
      if (name == ".id" || value == "false") continue;
      out += value.find(' ') == std::string::npos && !value.empty() ? fmt::format(" {}={}", name, value)
                                                                    : fmt::format(" {}=\"{}\"", name, value);
    }
    out += "\r\n";
  }
  return out;
}

}  // namespace mikroscope::routersim::console
