// Runs parsed statements.
#pragma once

#include <atomic>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tests/routersim/console/ast.h"
#include "tests/routersim/console/grammar.h"
#include "tests/routersim/router.h"

namespace mikroscope::routersim::console {

// Ends everything without a word: the connection is cut, or /quit.
struct Cut {};
// Leaves the functions that it passes through.
struct Returned {
  Value value;
};

class Interpreter {
 public:
  Interpreter(Router& router, const User& user, const Grammar& grammar, std::map<std::string, Value>& globals,
              const std::atomic<bool>* cancelled);

  // At the top: what commands return is not printed, what they show is.
  void run(const Block& block) { static_cast<void>(block_value(block, false)); }

  std::string& output() { return output_; }
  // Prints a line, or several.
  void print(std::string_view text);

 private:
  using Scope = std::map<std::string, Value>;

  // The value of the last statement. `used`: in brackets, where it counts and nothing is shown.
  Value block_value(const Block& block, bool used);
  Value statement(const Statement& statement, bool used);
  Value global(const Statement& statement);
  Value verb(const Statement& statement, bool used);
  void show(const Statement& statement, const Outcome& outcome);
  Value outcome_value(const Statement& statement, const Outcome& outcome);

  Value eval(const Expr& expr);
  Value binary(const Expr& expr);
  Value arithmetic(const std::string& op, const Value& a, const Value& b) const;
  bool compare(const Expr& expr);
  Value word(const std::string& name);
  Value variable(const std::string& name) const;
  Value* find_variable(const std::string& name);
  void set_variable(const Expr& name, Value value);
  void code(const Expr* expr);

  const Expr* argument(const Statement& statement, std::string_view name) const;
  bool has(const Statement& statement, std::string_view name) const;
  Value value_of(const Statement& statement, std::string_view name);
  std::string text_of(const Statement& statement, std::string_view name) {
    return to_text(value_of(statement, name));
  }
  std::string variable_name(const Expr& expr);

  // Commands of the language; interpreter_global.cpp.
  Value loop(const Statement& statement);
  Value for_each(const Statement& statement);
  Value conversion(const Statement& statement);
  Value find_in(const Statement& statement);
  Value pick(const Statement& statement);
  Value serialize(const Statement& statement);
  Value convert(const Statement& statement);
  void delay(const Statement& statement);
  void import(const Statement& statement);

  void step();  // counts, and ends what was cancelled

  Router& router_;
  const User& user_;
  const Grammar& grammar_;
  std::map<std::string, Value>& globals_;
  const std::atomic<bool>* cancelled_;
  std::vector<Scope> scopes_;
  const Row* row_ = nullptr;  // that conditions are asked about
  std::string output_;
  int steps_ = 0;
  int depth_ = 0;
};

// How `print` shows rows: one line each, or "name: value" lines of a settings menu.
std::string shown_rows(const std::vector<Row>& rows, bool settings);

}  // namespace mikroscope::routersim::console
