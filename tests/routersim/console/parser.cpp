#include "tests/routersim/console/parser.h"

#include <fmt/format.h>

#include <algorithm>

#include "tests/routersim/console/parser_state.h"

namespace mikroscope::routersim::console {
namespace {

// Only blanks stand before it in its line.
bool begins_line(std::string_view text, std::size_t at) {
  while (at > 0 && (text[at - 1] == ' ' || text[at - 1] == '\t')) --at;
  return at == 0 || text[at - 1] == '\n';
}

}  // namespace

Block Parser::whole() {
  Block block = statements('\0');
  if (at_ < text_.size()) syntax_error(at_);
  return block;
}

std::string Parser::place(std::size_t at) const {
  const std::string_view before = text_.substr(0, at);
  const auto line = std::count(before.begin(), before.end(), '\n');
  return fmt::format("(line {} column {})", line + first_line_, column(at));
}

int Parser::column(std::size_t at) const {
  const std::size_t start = at == 0 ? std::string_view::npos : text_.rfind('\n', at - 1);
  return static_cast<int>(at - (start == std::string_view::npos ? 0 : start + 1)) + 1;
}

void Parser::fail(std::string_view what, std::size_t at) const {
  throw ScriptError(fmt::format("{} {}", what, place(at)), true);
}

void Parser::bad_command(std::string_view word, std::size_t at) const {
  fail(fmt::format("bad command name {}", word), at);
}

void Parser::skip_blanks() {
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

void Parser::skip_all_blanks() {
  do skip_blanks();
  while (peek() == '\n' && ++at_ != 0);
}

bool Parser::statement_ends() const {
  return end() || peek() == ';' || peek() == '\n' || peek() == ']' || peek() == '}' || peek() == ')';
}

Block Parser::statements(char closing) {
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

std::optional<Statement> Parser::one() {
  Statement statement;
  statement.line =
      static_cast<int>(std::count(text_.begin(), text_.begin() + static_cast<long>(at_), '\n')) + first_line_;
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

Block Parser::braces() {
  const std::size_t open = at_++;
  const std::string menu = menu_;
  Block block = statements('}');
  menu_ = menu;
  if (peek() != '}') fail("expected closing brace", end() ? at_ : open);
  ++at_;
  return block;
}

std::string Parser::word() {
  const std::size_t from = at_;
  while (!end() && word_char(peek())) ++at_;
  return std::string(text_.substr(from, at_ - from));
}

std::optional<Statement> Parser::command() {
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

void Parser::arguments(Statement& statement) {
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

std::optional<Statement> Parser::global(const std::string& name, std::size_t at) {
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
    const bool named = !argument.empty() && peek() == '=' && peek(1) != '=' && named_argument(*def, argument);
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

bool Parser::named_argument(const GlobalDef& def, const std::string& name) {
  return std::find(def.named.begin(), def.named.end(), name) != def.named.end() ||
         std::find(def.values.begin(), def.values.end(), name) != def.values.end();
}

ExprPtr Parser::variable_name() {
  if (peek() == '"') return string();
  if (peek() == '(') return parenthesis();  // :set ($a->"k") v
  const std::size_t at = at_;
  while (!end() && (alpha(peek()) || digit(peek()))) ++at_;
  if (at == at_) syntax_error(at);
  return literal(Value::of_text(std::string(text_.substr(at, at_ - at))));
}

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
