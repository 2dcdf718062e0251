// The commands of the language itself.
#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "tests/routersim/console/interpreter.h"
#include "tests/routersim/console/parser.h"
#include "tests/routersim/values.h"

namespace mikroscope::routersim::console {
namespace {

using Type = Value::Type;

std::string base64(const std::string& octets) {
  std::string out(4 * ((octets.size() + 2) / 3), '\0');
  EVP_EncodeBlock(reinterpret_cast<unsigned char*>(out.data()),
                  reinterpret_cast<const unsigned char*>(octets.data()), static_cast<int>(octets.size()));
  return out;
}

}  // namespace

Value Interpreter::global(const Statement& statement) {
  const std::string& name = statement.verb;
  const Expr* const target = argument(statement, "name");
  if (name == "put") {
    print(text_of(statement, "message"));
    return {};
  }
  if (name == "local") {
    scopes_.back()[variable_name(*target)] = value_of(statement, "value");
    return {};
  }
  if (name == "global") {
    const std::string variable = variable_name(*target);
    if (has(statement, "value")) globals_[variable] = value_of(statement, "value");
    globals_.try_emplace(variable);
    return {};
  }
  if (name == "set") {
    if (target == nullptr) throw ScriptError("missing value(s) of argument(s) name");
    set_variable(*target, value_of(statement, "value"));
    return {};
  }
  if (name == "if") {
    if (truth(value_of(statement, "condition"))) {
      code(argument(statement, "do"));
    } else {
      code(argument(statement, "else"));
    }
    return {};
  }
  if (name == "foreach") return for_each(statement);
  if (name == "for" || name == "while" || name == "do" || name == "onerror") return loop(statement);
  if (name == "error") throw ScriptError(text_of(statement, "message"));
  if (name == "return") throw Returned{value_of(statement, "value")};
  if (name == "delay") {
    delay(statement);
    return {};
  }
  if (name == "find") return find_in(statement);
  if (name == "pick") return pick(statement);
  if (name == "serialize") return serialize(statement);
  if (name == "convert") return convert(statement);
  if (name == "import") {
    import(statement);
    return {};
  }
  if (name == "quit") throw Cut{};
  if (name == "log" || name == "export") {
    Request request;
    request.menu = name == "log" ? "/log" : "";
    request.verb = name == "log" ? text_of(statement, "topics") : "export";
    if (name == "log") request.attributes.append("message", text_of(statement, "message"));
    const Outcome outcome = router_.execute(user_, request);
    if (!outcome.traps.empty()) throw ScriptError(outcome.traps.front().message);
    if (name == "export") print(outcome.ret.value_or(""));
    return {};
  }
  return conversion(statement);
}

Value Interpreter::for_each(const Statement& statement) {
  std::vector<std::string> names;
  for (const Arg& arg : statement.args) {
    if (arg.name == "counter") names.push_back(variable_name(*arg.value));
  }
  Value all = value_of(statement, "in");
  if (!all.is(Type::array) && !all.is(Type::nothing) && !all.is(Type::nil)) {
    Value one = Value::array();
    one.items.emplace_back(std::nullopt, std::move(all));
    all = std::move(one);
  }
  const Expr* const body = argument(statement, "do");
  for (std::size_t i = 0; i < all.items.size(); ++i) {
    const auto& [key, item] = all.items[i];
    const std::size_t scopes = scopes_.size();
    scopes_.emplace_back();
    if (names.size() > 1)
      scopes_.back()[names[0]] = key ? Value::of_text(*key) : Value::of_number(static_cast<std::int64_t>(i));
    if (!names.empty()) scopes_.back()[names.back()] = item;
    try {
      code(body);
    } catch (...) {
      scopes_.resize(scopes);
      throw;
    }
    scopes_.resize(scopes);
  }
  return {};
}

Value Interpreter::loop(const Statement& statement) {
  const Expr* const body = argument(statement, "do");
  const std::string& name = statement.verb;
  if (name == "while") {
    while (truth(value_of(statement, "condition"))) code(body);
    return {};
  }
  if (name == "for") {
    const std::string counter = variable_name(*argument(statement, "counter"));
    const std::int64_t from = to_number(value_of(statement, "from")).value_or(0);
    const std::int64_t to = to_number(value_of(statement, "to")).value_or(0);
    std::int64_t by = has(statement, "step") ? to_number(value_of(statement, "step")).value_or(1)
                      : to < from            ? -1
                                             : 1;
    if (by == 0) by = 1;
    for (std::int64_t i = from; by > 0 ? i <= to : i >= to; i += by) {
      scopes_.emplace_back()[counter] = Value::of_number(i);
      const std::size_t scopes = scopes_.size() - 1;
      try {
        code(body);
      } catch (...) {
        scopes_.resize(scopes);
        throw;
      }
      scopes_.resize(scopes);
    }
    return {};
  }
  const std::size_t scopes = scopes_.size();
  const int depth = depth_;
  const bool catches = name == "onerror" || has(statement, "on-error");
  try {
    do code(argument(statement, name == "do" ? "command" : "in"));
    while (has(statement, "while") && truth(value_of(statement, "while")));
  } catch (const ScriptError& error) {
    if (!catches || error.parsing()) throw;
    scopes_.resize(scopes);
    depth_ = depth;
    if (name == "do") {
      code(argument(statement, "on-error"));
      return {};
    }
    scopes_.emplace_back()[variable_name(*argument(statement, "error"))] = Value::of_text(error.what());
    try {
      code(body);
    } catch (...) {
      scopes_.resize(scopes);
      throw;
    }
    scopes_.resize(scopes);
  }
  return {};
}

Value Interpreter::conversion(const Statement& statement) {
  const std::string& name = statement.verb;
  const Value value = value_of(statement, "value");
  if (name == "len") {
    if (value.is(Type::array)) return Value::of_number(static_cast<std::int64_t>(value.items.size()));
    return Value::of_number(static_cast<std::int64_t>(to_text(value).size()));
  }
  if (name == "typeof") return Value::of_text(std::string(type_name(value)));
  if (name == "tostr") return Value::of_text(to_text(value));
  const Value nil{Type::nil, 0, {}, {}};
  if (name == "tonum") {
    const auto number = to_number(value);
    return number ? Value::of_number(*number) : nil;
  }
  if (name == "toip") {
    std::string text = to_text(value);
    return parse_ip(text) ? Value{Type::ip, 0, std::move(text), {}} : nil;
  }
  if (name == "toid") return Value::of_id(to_text(value));
  if (name == "tobool") {
    const std::string text = to_text(value);
    if (text == "true" || text == "yes") return Value::of_flag(true);
    return text == "false" || text == "no" ? Value::of_flag(false) : nil;
  }
  if (name == "totime") {
    if (value.is(Type::time)) return value;
    const auto ms = parse_span(to_text(value));
    return ms ? Value{Type::time, *ms, {}, {}} : nil;
  }
  if (name == "toarray") {
    if (value.is(Type::array)) return value;
    Value out = Value::array();
    const std::string text = to_text(value);
    for (std::size_t from = 0; from < text.size();) {
      const std::size_t end = std::min(text.find(',', from), text.size());
      out.items.emplace_back(std::nullopt, Value::of_text(text.substr(from, end - from)));
      from = end + 1;
    }
    return out;
  }
  return {};
}

Value Interpreter::find_in(const Statement& statement) {
  const Value in = value_of(statement, "in");
  const Value key = value_of(statement, "key");
  const std::int64_t from = has(statement, "from") ? to_number(value_of(statement, "from")).value_or(-1) : -1;
  if (in.is(Type::array)) {
    for (std::size_t i = static_cast<std::size_t>(from + 1); i < in.items.size(); ++i) {
      if (equal(in.items[i].second, key)) return Value::of_number(static_cast<std::int64_t>(i));
    }
    return {Type::nil, 0, {}, {}};
  }
  const std::size_t found = to_text(in).find(to_text(key), static_cast<std::size_t>(from + 1));
  return found == std::string::npos ? Value{Type::nil, 0, {}, {}}
                                    : Value::of_number(static_cast<std::int64_t>(found));
}

Value Interpreter::pick(const Statement& statement) {
  const Value value = value_of(statement, "value");
  const auto size =
      static_cast<std::int64_t>(value.is(Type::array) ? value.items.size() : to_text(value).size());
  const std::int64_t begin =
      std::clamp(to_number(value_of(statement, "begin")).value_or(0), std::int64_t{0}, size);
  const bool one = !has(statement, "end");
  const std::int64_t end =
      one ? std::min(begin + 1, size)
          : std::clamp(to_number(value_of(statement, "end")).value_or(size), begin, size);
  if (!value.is(Type::array))
    return Value::of_text(
        to_text(value).substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)));
  if (one) return begin < size ? value.items[static_cast<std::size_t>(begin)].second : Value();
  Value out = Value::array();
  out.items.assign(value.items.begin() + begin, value.items.begin() + end);
  return out;
}

Value Interpreter::serialize(const Statement& statement) {
  if (text_of(statement, "to") != "json") throw ScriptError("input does not match any value of to");
  const std::string options = text_of(statement, "options");
  return Value::of_text(
      to_json(value_of(statement, "value"), options.find("json.no-string-conversion") == std::string::npos));
}

Value Interpreter::convert(const Statement& statement) {
  const std::string text = text_of(statement, "value");
  const std::string to = text_of(statement, "to");
  if (to == "base64") return Value::of_text(base64(text));
  if (to == "hex") {
    std::string out;
    for (const char c : text) out += fmt::format("{:02x}", static_cast<unsigned char>(c));
    return Value::of_text(out);
  }
  throw ScriptError("input does not match any value of to");
}

void Interpreter::delay(const Statement& statement) {
  const Value value = value_of(statement, "delay-time");
  const std::int64_t ms = value.is(Type::time)  ? value.number
                          : value.is(Type::num) ? value.number * 1000
                                                : parse_span(to_text(value)).value_or(1000);
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(ms);
  while (std::chrono::steady_clock::now() < end) {
    step();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

void Interpreter::import(const Statement& statement) {
  const std::string name = text_of(statement, "file-name");
  if (!user_.may("write")) throw ScriptError("not enough permissions (9)");
  const std::optional<std::string> file = router_.read_file(name);
  if (!file) throw ScriptError("input does not match any value of file-name");
  std::string_view rest = *file;
  std::string menu;
  int line = 1;
  while (!rest.empty()) {
    const std::string_view command = next_command(rest);
    const Block block = parse(grammar_, command, menu, line);
    static_cast<void>(block_value(block, false));
    line += 1 + static_cast<int>(std::count(command.begin(), command.end(), '\n'));
  }
  print("");
  print("Script file loaded and executed successfully");
}

}  // namespace mikroscope::routersim::console
