#include "tests/routersim/console/interpreter.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace mikroscope::routersim::console {
namespace {

using Type = Value::Type;

constexpr int kMostSteps = 1'000'000;
constexpr int kMostDepth = 100;

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
  if (expr->kind != Expr::Kind::code) {
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
