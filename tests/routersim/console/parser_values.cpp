// Values: strings with their escapes, variables, brackets, arrays, bare words.
#include "tests/routersim/console/parser_state.h"

namespace mikroscope::routersim::console {
namespace {

int hex_value(char c) {
  return digit(c) ? c - '0' : c - 'A' + 10;
}

}  // namespace

ExprPtr Parser::argument_value(bool code) {
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
      if (!code) return array();
      {
        auto expr = make_expr(Expr::Kind::code);
        expr->block = braces();
        return expr;
      }
    default:
      break;
  }
  const std::size_t from = at_;
  while (!statement_ends() && peek() != ' ' && peek() != '\t' && peek() != '\r' && peek() != '"' &&
         peek() != '{' && peek() != '[' && peek() != '(')
    ++at_;
  const std::string bare(text_.substr(from, at_ - from));
  if (bare.empty() && !statement_ends() && peek() != ' ') syntax_error(at_);
  if (auto typed = typed_literal(bare)) return literal(std::move(*typed));
  return literal(Value::of_text(bare));
}

ExprPtr Parser::brackets() {
  const std::size_t open = at_++;
  const std::string menu = menu_;
  const bool conditions = std::exchange(in_conditions_, false);
  auto expr = make_expr(Expr::Kind::command);
  expr->block = statements(']');
  menu_ = menu;
  in_conditions_ = conditions;
  if (peek() != ']') syntax_error(end() ? at_ : open);
  ++at_;
  return expr;
}

ExprPtr Parser::parenthesis() {
  const std::size_t open = at_++;
  const bool conditions = std::exchange(in_conditions_, false);
  ExprPtr expr = expression(0);
  in_conditions_ = conditions;
  skip_all_blanks();
  if (peek() != ')') syntax_error(end() ? open : at_);
  ++at_;
  return expr;
}

ExprPtr Parser::variable() {
  ++at_;
  if (peek() == '"') {
    ExprPtr name = string();
    return make_expr(Expr::Kind::variable, name->parts.empty() ? name->value.text : "");
  }
  const std::size_t from = at_;
  while (!end() && (alpha(peek()) || digit(peek()))) ++at_;
  if (from == at_) syntax_error(from);
  return make_expr(Expr::Kind::variable, std::string(text_.substr(from, at_ - from)));
}

ExprPtr Parser::string() {
  const std::size_t open = at_++;
  std::vector<ExprPtr> parts;
  std::string plain;
  const auto flush = [&] {
    if (!plain.empty()) parts.push_back(literal(Value::of_text(std::move(plain))));
    plain.clear();
  };
  while (true) {
    if (end()) fail("expected closing quote", open);
    const char c = peek();
    if (c == '"') {
      ++at_;
      break;
    }
    if (c == '\\') {
      escape(plain);
    } else if (c == '$' && (peek(1) == '(' || peek(1) == '[' || alpha(peek(1)))) {
      flush();
      if (alpha(peek(1))) {
        parts.push_back(variable());
      } else {
        ++at_;
        parts.push_back(peek() == '(' ? parenthesis() : brackets());
      }
    } else {
      plain += c;
      ++at_;
    }
  }
  if (parts.empty()) return literal(Value::of_text(plain));
  flush();
  auto expr = make_expr(Expr::Kind::text);
  expr->parts = std::move(parts);
  return expr;
}

void Parser::escape(std::string& out) {
  const std::size_t at = at_++;
  const char c = peek();
  if (upper_hex(c) && upper_hex(peek(1))) {
    out += static_cast<char>(hex_value(c) << 4 | hex_value(peek(1)));
    at_ += 2;
    return;
  }
  ++at_;
  switch (c) {
    case 'n':
      out += '\n';
      return;
    case 'r':
      out += '\r';
      return;
    case 't':
      out += '\t';
      return;
    case 'a':
      out += '\a';
      return;
    case 'b':
      out += '\b';
      return;
    case 'f':
      out += '\f';
      return;
    case 'v':
      out += '\v';
      return;
    case '_':
      out += ' ';
      return;
    case '"':
    case '\\':
    case '$':
    case '?':
      out += c;
      return;
    case '\r':
      if (peek() == '\n') ++at_;
      [[fallthrough]];
    case '\n':  // a string that goes on in the next line, whose indentation does not count
      while (peek() == ' ' || peek() == '\t') ++at_;
      return;
    default:
      syntax_error(at);
  }
}

ExprPtr Parser::array() {
  const std::size_t open = at_++;
  auto expr = make_expr(Expr::Kind::array);
  while (true) {
    skip_all_blanks();
    if (peek() == ';') {
      ++at_;
      continue;
    }
    if (peek() == '}') {
      ++at_;
      return expr;
    }
    if (end()) fail("expected closing brace", open);
    const std::size_t from = at_;
    ExprPtr item = argument_value(false);
    ExprPtr key;
    skip_blanks();
    if (item->kind == Expr::Kind::literal && peek() == '=') {
      key = std::move(item);
      ++at_;
      skip_all_blanks();
      item = argument_value(false);
    } else if (item->kind == Expr::Kind::literal && item->value.is(Value::Type::str) && text_[from] != '"' &&
               item->value.text.find('=') != std::string::npos) {
      // a bare word took its "=value" along
      const std::size_t equals = item->value.text.find('=');
      key = literal(Value::of_text(item->value.text.substr(0, equals)));
      at_ = from + equals + 1;
      item = argument_value(false);
    }
    expr->keys.push_back(std::move(key));
    expr->parts.push_back(std::move(item));
    skip_all_blanks();
    if (peek() != ';' && peek() != '}') syntax_error(at_);
  }
}

}  // namespace mikroscope::routersim::console
