// The parser's insides: a place in the text, and one function for each kind of thing that may stand there.
// Private to parser*.cpp.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "tests/routersim/console/ast.h"
#include "tests/routersim/console/grammar.h"

namespace mikroscope::routersim::console {

// The console's own notion of characters: no locale.
inline bool digit(char c) {
  return c >= '0' && c <= '9';
}
inline bool alpha(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
inline bool word_char(char c) {
  return alpha(c) || digit(c) || c == '-' || c == '_' || c == '.';
}
inline bool upper_hex(char c) {
  return digit(c) || (c >= 'A' && c <= 'F');
}

inline ExprPtr make_expr(Expr::Kind kind, std::string text = {}) {
  auto expr = std::make_unique<Expr>();
  expr->kind = kind;
  expr->text = std::move(text);
  return expr;
}
inline ExprPtr literal(Value value) {
  auto expr = make_expr(Expr::Kind::literal);
  expr->value = std::move(value);
  return expr;
}

// What stands between two operands, by how weakly it binds.
struct Operator {
  std::string_view text;
  int level;
  bool word = false;
};

class Parser {
 public:
  Parser(const Grammar& grammar, std::string_view text, std::string menu, int line)
      : grammar_(grammar), text_(text), menu_(std::move(menu)), first_line_(line) {}

  Block whole();
  const std::string& menu() const { return menu_; }

 private:
  // --- places ---

  bool end() const { return at_ >= text_.size(); }
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  std::string place(std::size_t at) const;
  int column(std::size_t at) const;
  [[noreturn]] void fail(std::string_view what, std::size_t at) const;
  [[noreturn]] void syntax_error(std::size_t at) const { fail("syntax error", at); }
  [[noreturn]] void bad_command(std::string_view word, std::size_t at) const;
  void skip_blanks();
  void skip_all_blanks();
  bool statement_ends() const;

  // --- statements ---

  Block statements(char closing);
  // Nothing: only the menu changed.
  std::optional<Statement> one();
  Block braces();
  std::string word();
  std::optional<Statement> command();
  void arguments(Statement& statement);
  std::optional<Statement> global(const std::string& name, std::size_t at);
  static bool named_argument(const GlobalDef& def, const std::string& name);
  ExprPtr variable_name();

  // --- values ---

  // After "name=", or in the place of a value without a name.
  ExprPtr argument_value(bool code);
  ExprPtr brackets();
  ExprPtr parenthesis();
  ExprPtr variable();
  ExprPtr string();
  void escape(std::string& out);
  // {1;2;"a"=3}
  ExprPtr array();

  // --- expressions ---

  // Conditions that stand side by side must all hold.
  ExprPtr conditions();
  const Operator* next_operator();
  ExprPtr expression(int level);
  ExprPtr operand();

  const Grammar& grammar_;
  std::string_view text_;
  std::size_t at_ = 0;
  std::string menu_;
  int first_line_;
  bool in_conditions_ = false;
};

}  // namespace mikroscope::routersim::console
