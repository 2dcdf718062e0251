#include "tests/routersim/console/parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace mikroscope::routersim::console {
namespace {

bool alpha(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0;
}
bool digit(char c) {
  return c >= '0' && c <= '9';
}
bool word_char(char c) {
  return alpha(c) || digit(c) || c == '-' || c == '_' || c == '.';
}
bool upper_hex(char c) {
  return digit(c) || (c >= 'A' && c <= 'F');
}
int hex_value(char c) {
  return digit(c) ? c - '0' : c - 'A' + 10;
}

ExprPtr make(Expr::Kind kind, std::string text = {}) {
  auto expr = std::make_unique<Expr>();
  expr->kind = kind;
  expr->text = std::move(text);
  return expr;
}
ExprPtr literal(Value value) {
  auto expr = make(Expr::Kind::literal);
  expr->value = std::move(value);
  return expr;
}

// What stands between two operands, by how weakly it binds.
struct Operator {
  std::string_view text;
  int level;
  bool word = false;
};
constexpr std::array<Operator, 25> kOperators = {{
    {"||", 1},       {"or", 1, true}, {"&&", 2}, {"and", 2, true}, {"!=", 3}, {"<=", 3}, {">=", 3},
    {"<<", 7},       {">>", 7},       {"->", 9}, {"=", 3},         {"<", 3},  {">", 3},  {"~", 3},
    {"in", 3, true}, {"|", 4},        {"^", 5},  {"&", 6},         {"+", 7},  {"-", 7},  {".", 7},
    {"*", 8},        {"/", 8},        {"%", 8},  {",", 0},
}};

class Parser {
 public:
  Parser(const Grammar& grammar, std::string_view text, std::string menu, int line)
      : grammar_(grammar), text_(text), menu_(std::move(menu)), first_line_(line) {}

  Block whole() {
    Block block = statements('\0');
    if (at_ < text_.size()) syntax_error(at_);
    return block;
  }
  const std::string& menu() const { return menu_; }

 private:
  // --- places ---

  bool end() const { return at_ >= text_.size(); }
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  std::string place(std::size_t at) const {
    const std::string_view before = text_.substr(0, at);
    const auto line = std::count(before.begin(), before.end(), '\n');
    return fmt::format("(line {} column {})", line + first_line_, column(at));
  }
  int column(std::size_t at) const {
    const std::size_t start = at == 0 ? std::string_view::npos : text_.rfind('\n', at - 1);
    return static_cast<int>(at - (start == std::string_view::npos ? 0 : start + 1)) + 1;
  }
  [[noreturn]] void fail(std::string_view what, std::size_t at) const {
    throw ScriptError(fmt::format("{} {}", what, place(at)), true);
  }
  [[noreturn]] void syntax_error(std::size_t at) const { fail("syntax error", at); }
  [[noreturn]] void bad_command(std::string_view word, std::size_t at) const {
    fail(fmt::format("bad command name {}", word), at);
  }

  void skip_blanks() {
    while (!end()) {
      if (peek() == ' ' || peek() == '\t' || peek() == '\r') {
        ++at_;
      } else if (peek() == '\\' && (peek(1) == '\n' || (peek(1) == '\r' && peek(2) == '\n'))) {
        at_ += peek(1) == '\n' ? 2 : 3;  // a line goes on
      } else {
        return;
      }
    }
  }
  void skip_all_blanks() {
    do skip_blanks();
    while (peek() == '\n' && ++at_ != 0);
  }
  bool statement_ends() const {
    return end() || peek() == ';' || peek() == '\n' || peek() == ']' || peek() == '}' || peek() == ')';
  }

  // --- statements ---

  Block statements(char closing) {
    Block block;
    while (true) {
      skip_all_blanks();
      if (peek() == '#') {
        while (!end() && peek() != '\n') ++at_;
        continue;
      }
      if (peek() == ';') {
        ++at_;
        continue;
      }
      if (end() || peek() == closing) return block;
      const std::size_t before = at_;
      if (auto statement = one()) block.push_back(std::move(*statement));
      skip_blanks();
      if (!statement_ends() || at_ == before) syntax_error(at_);
      if ((peek() == ']' || peek() == '}' || peek() == ')') && peek() != closing) syntax_error(at_);
    }
  }

  // Nothing: only the menu changed.
  std::optional<Statement> one() {
    Statement statement;
    statement.line =
        static_cast<int>(std::count(text_.begin(), text_.begin() + static_cast<long>(at_), '\n')) +
        first_line_;
    if (peek() == '{') {
      statement.kind = Statement::Kind::block;
      statement.block = braces();
      return statement;
    }
    if (peek() == ':') {
      ++at_;
      const std::size_t at = at_;
      const std::string name = word();
      return global(name, at);
    }
    return command();
  }

  Block braces() {
    const std::size_t open = at_++;
    const std::string menu = menu_;
    Block block = statements('}');
    menu_ = menu;
    if (peek() != '}') fail("expected closing brace", end() ? at_ : open);
    ++at_;
    return block;
  }

  std::string word() {
    const std::size_t from = at_;
    while (!end() && word_char(peek())) ++at_;
    return std::string(text_.substr(from, at_ - from));
  }

  std::optional<Statement> command() {
    std::string here = peek() == '/' ? "" : menu_;
    const bool absolute = peek() == '/';
    bool moved = absolute;
    std::size_t word_at = at_;
    int menu_column = column(at_);
    if (absolute) ++at_;
    while (true) {
      skip_blanks();
      if (moved && statement_ends()) {
        menu_ = here;
        return std::nullopt;
      }
      word_at = at_;
      const std::string name = word();
      if (name.empty()) syntax_error(word_at);
      if (const auto below = grammar_.child(here, name)) {
        here = *below;
        moved = true;
        menu_column = column(word_at);
        if (peek() == '/') ++at_;
        continue;
      }
      if (const auto verb = grammar_.verb(here, name)) {
        Statement statement;
        statement.kind = Statement::Kind::verb;
        statement.menu = here;
        statement.verb = *verb;
        statement.menu_column = menu_column;
        statement.verb_column = column(word_at);
        arguments(statement);
        return statement;
      }
      if ((here.empty() || !moved) && grammar_.global(name) != nullptr) return global(name, word_at);
      bad_command(name, word_at);
    }
  }

  void arguments(Statement& statement) {
    // What stands in the arguments is relative to the command's menu.
    const std::string outside = menu_;
    menu_ = statement.menu;
    const std::vector<std::string_view> values = grammar_.values(statement.menu, statement.verb);
    std::size_t used = 0;
    while (true) {
      skip_blanks();
      if (statement_ends()) break;
      const std::size_t at = at_;
      const std::string name = alpha(peek()) || peek() == '.' ? word() : "";
      if (name == "where" || statement.verb == "find") {
        if (name != "where") at_ = at;
        statement.where = conditions();
        break;
      }
      if (!name.empty() && peek() == '=') {
        const auto known = grammar_.argument(statement.menu, statement.verb, name);
        if (!known) fail("expected end of command", at);
        ++at_;
        statement.args.push_back({*known, argument_value(false)});
        continue;
      }
      if (!name.empty() && (statement_ends() || peek() == ' ' || peek() == '\t' || peek() == '\r')) {
        if (const auto flag = grammar_.flag(statement.menu, statement.verb, name)) {
          statement.args.push_back({*flag, nullptr});
          continue;
        }
      }
      at_ = at;
      if (used >= values.size()) fail("expected end of command", at);
      statement.args.push_back({std::string(values[used++]), argument_value(false)});
    }
    menu_ = outside;
  }

  std::optional<Statement> global(const std::string& name, std::size_t at) {
    const GlobalDef* const def = grammar_.global(name);
    if (def == nullptr) bad_command(name, at);
    Statement statement;
    statement.kind = Statement::Kind::global;
    statement.verb = name;
    statement.verb_column = column(at);
    std::size_t used = 0;
    while (true) {
      skip_blanks();
      if (statement_ends()) break;
      const std::size_t from = at_;
      std::string argument = alpha(peek()) ? word() : "";
      const bool named =
          !argument.empty() && peek() == '=' && peek(1) != '=' && named_argument(*def, argument);
      if (named) {
        if (!grammar_.knows_option(name, argument)) fail("expected end of command", from);
        ++at_;
      } else {
        at_ = from;
        // `:foreach k,v in=…`: several names stand in one place.
        if (name == "foreach" && used == 1) --used;
        if (peek() == ',' && name == "foreach") ++at_;
        if (used >= def->values.size()) {
          if (const auto word_here = word();
              std::find(def->named.begin(), def->named.end(), word_here) != def->named.end()) {
            statement.args.push_back({word_here, nullptr});
            continue;
          }
          fail("expected end of command", from);
        }
        argument = std::string(def->values[used++]);
      }
      skip_blanks();
      if (is_variable_name(name, argument)) {
        statement.args.push_back({argument, variable_name()});
      } else {
        statement.args.push_back({argument, argument_value(is_code(name, argument))});
      }
    }
    return statement;
  }

  static bool named_argument(const GlobalDef& def, const std::string& name) {
    return std::find(def.named.begin(), def.named.end(), name) != def.named.end() ||
           std::find(def.values.begin(), def.values.end(), name) != def.values.end();
  }

  ExprPtr variable_name() {
    if (peek() == '"') return string();
    if (peek() == '(') return parenthesis();  // :set ($a->"k") v
    const std::size_t at = at_;
    while (!end() && (alpha(peek()) || digit(peek()))) ++at_;
    if (at == at_) syntax_error(at);
    return literal(Value::of_text(std::string(text_.substr(at, at_ - at))));
  }

  // --- values ---

  // After "name=", or in the place of a value without a name.
  ExprPtr argument_value(bool code) {
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
          auto expr = make(Expr::Kind::code);
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

  ExprPtr brackets() {
    const std::size_t open = at_++;
    const std::string menu = menu_;
    const bool conditions = std::exchange(in_conditions_, false);
    auto expr = make(Expr::Kind::command);
    expr->block = statements(']');
    menu_ = menu;
    in_conditions_ = conditions;
    if (peek() != ']') syntax_error(end() ? at_ : open);
    ++at_;
    return expr;
  }

  ExprPtr parenthesis() {
    const std::size_t open = at_++;
    const bool conditions = std::exchange(in_conditions_, false);
    ExprPtr expr = expression(0);
    in_conditions_ = conditions;
    skip_all_blanks();
    if (peek() != ')') syntax_error(end() ? open : at_);
    ++at_;
    return expr;
  }

  ExprPtr variable() {
    ++at_;
    if (peek() == '"') {
      ExprPtr name = string();
      return make(Expr::Kind::variable, name->parts.empty() ? name->value.text : "");
    }
    const std::size_t from = at_;
    while (!end() && (alpha(peek()) || digit(peek()))) ++at_;
    if (from == at_) syntax_error(from);
    return make(Expr::Kind::variable, std::string(text_.substr(from, at_ - from)));
  }

  ExprPtr string() {
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
    auto expr = make(Expr::Kind::text);
    expr->parts = std::move(parts);
    return expr;
  }

  void escape(std::string& out) {
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

  // {1;2;"a"=3}
  ExprPtr array() {
    const std::size_t open = at_++;
    auto expr = make(Expr::Kind::array);
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
      } else if (item->kind == Expr::Kind::literal && item->value.is(Value::Type::str) &&
                 text_[from] != '"' && item->value.text.find('=') != std::string::npos) {
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

  // --- expressions ---

  // Conditions that stand side by side must all hold.
  ExprPtr conditions() {
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
      auto both = make(Expr::Kind::binary, "&&");
      both->parts.push_back(std::move(all));
      both->parts.push_back(std::move(one));
      all = std::move(both);
    }
    in_conditions_ = outside;
    return all;
  }

  const Operator* next_operator() {
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

  ExprPtr expression(int level) {
    ExprPtr left = operand();
    while (true) {
      const std::size_t before = at_;
      const Operator* const op = next_operator();
      if (op == nullptr || op->level < level || (in_conditions_ && op->level == 0)) {
        at_ = before;
        return left;
      }
      at_ += op->text.size();
      auto expr = make(Expr::Kind::binary, std::string(op->text == "and"  ? "&&"
                                                       : op->text == "or" ? "||"
                                                                          : op->text));
      expr->parts.push_back(std::move(left));
      expr->parts.push_back(op->text == "->" ? operand() : expression(op->level + 1));
      left = std::move(expr);
    }
  }

  ExprPtr operand() {
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
        auto expr = make(Expr::Kind::unary, std::string(1, peek()));
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
      return make(Expr::Kind::word, text);
    }
    syntax_error(at);
  }

  const Grammar& grammar_;
  std::string_view text_;
  std::size_t at_ = 0;
  std::string menu_;
  int first_line_;
  bool in_conditions_ = false;
};

// Only blanks stand before it in its line.
bool begins_line(std::string_view text, std::size_t at) {
  while (at > 0 && (text[at - 1] == ' ' || text[at - 1] == '\t')) --at;
  return at == 0 || text[at - 1] == '\n';
}

}  // namespace

std::string_view next_command(std::string_view& text) {
  int depth = 0;
  bool quoted = false;
  std::size_t at = 0;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '\\') {
      ++at;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && c == '#' && begins_line(text, at)) {
      while (at < text.size() && text[at] != '\n') ++at;
      if (depth == 0) break;
    } else if (!quoted && (c == '{' || c == '[' || c == '(')) {
      ++depth;
    } else if (!quoted && (c == '}' || c == ']' || c == ')')) {
      --depth;
    } else if (!quoted && c == '\n' && depth <= 0) {
      break;
    }
  }
  const std::string_view command = text.substr(0, std::min(at, text.size()));
  text.remove_prefix(std::min(at + 1, text.size()));
  return command;
}

Block parse(const Grammar& grammar, std::string_view text, std::string& menu, int line) {
  Parser parser(grammar, text, menu, line);
  Block block = parser.whole();
  menu = parser.menu();
  return block;
}

}  // namespace mikroscope::routersim::console
