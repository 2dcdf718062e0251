// Expressions in parentheses, and the conditions of find and print.
#include <array>

#include "tests/routersim/console/parser_state.h"

namespace mikroscope::routersim::console {
namespace {

constexpr std::array<Operator, 25> kOperators = {{
    {"||", 1},       {"or", 1, true}, {"&&", 2}, {"and", 2, true}, {"!=", 3}, {"<=", 3}, {">=", 3},
    {"<<", 7},       {">>", 7},       {"->", 9}, {"=", 3},         {"<", 3},  {">", 3},  {"~", 3},
    {"in", 3, true}, {"|", 4},        {"^", 5},  {"&", 6},         {"+", 7},  {"-", 7},  {".", 7},
    {"*", 8},        {"/", 8},        {"%", 8},  {",", 0},
}};

}  // namespace

ExprPtr Parser::conditions() {
  const bool outside = std::exchange(in_conditions_, true);
  ExprPtr all;
  while (true) {
    skip_blanks();
    if (statement_ends()) break;
    ExprPtr one = expression(1);
    if (all == nullptr) {
      all = std::move(one);
      continue;
    }
    auto both = make_expr(Expr::Kind::binary, "&&");
    both->parts.push_back(std::move(all));
    both->parts.push_back(std::move(one));
    all = std::move(both);
  }
  in_conditions_ = outside;
  return all;
}

const Operator* Parser::next_operator() {
  if (in_conditions_) {
    skip_blanks();
  } else {
    skip_all_blanks();
  }
  for (const Operator& op : kOperators) {
    if (text_.substr(at_, op.text.size()) != op.text) continue;
    if (op.word && word_char(peek(op.text.size()))) continue;
    if (op.text == "." && in_conditions_ && alpha(peek(1))) continue;  // .id is the next condition
    return &op;
  }
  return nullptr;
}

ExprPtr Parser::expression(int level) {
  ExprPtr left = operand();
  while (true) {
    const std::size_t before = at_;
    const Operator* const op = next_operator();
    if (op == nullptr || op->level < level || (in_conditions_ && op->level == 0)) {
      at_ = before;
      return left;
    }
    at_ += op->text.size();
    auto expr = make_expr(Expr::Kind::binary, std::string(op->text == "and"  ? "&&"
                                                          : op->text == "or" ? "||"
                                                                             : op->text));
    expr->parts.push_back(std::move(left));
    expr->parts.push_back(op->text == "->" ? operand() : expression(op->level + 1));
    left = std::move(expr);
  }
}

ExprPtr Parser::operand() {
  skip_all_blanks();
  const std::size_t at = at_;
  switch (peek()) {
    case '"':
      return string();
    case '$':
      return variable();
    case '[':
      return brackets();
    case '(':
      return parenthesis();
    case '{':
      return array();
    case '!':
    case '-':
    case '~': {
      auto expr = make_expr(Expr::Kind::unary, std::string(1, peek()));
      ++at_;
      expr->parts.push_back(operand());
      return expr;
    }
    default:
      break;
  }
  if (peek() == '*' && upper_hex(peek(1))) {
    ++at_;
    while (upper_hex(peek())) ++at_;
    return literal(Value::of_id(std::string(text_.substr(at, at_ - at))));
  }
  if (digit(peek())) {
    while (digit(peek()) || alpha(peek()) || peek() == '.' || peek() == ':' ||
           (peek() == '/' && digit(peek(1))))
      ++at_;
    const std::string text(text_.substr(at, at_ - at));
    if (auto typed = typed_literal(text)) return literal(std::move(*typed));
    return literal(Value::of_text(text));
  }
  if (alpha(peek()) || (peek() == '.' && alpha(peek(1)))) {
    ++at_;
    while (alpha(peek()) || digit(peek()) || peek() == '_' ||
           (peek() == '-' && (alpha(peek(1)) || digit(peek(1)))))
      ++at_;
    const std::string text(text_.substr(at, at_ - at));
    if (auto typed = typed_literal(text)) return literal(std::move(*typed));
    return make_expr(Expr::Kind::word, text);
  }
  syntax_error(at);
}

}  // namespace mikroscope::routersim::console
