#include "tests/routersim/menu.h"

#include <fmt/format.h>

#include <algorithm>

#include "tests/routersim/query.h"

namespace mikroscope::routersim {
namespace {

constexpr VerbDef kCommon[] = {{"print", "", false},  {"getall", "", false}, {"get", "", false},
                               {"export", "", false}, {"listen", "", false}, {"set"}};
constexpr VerbDef kTable[] = {{"find", "", false}, {"add"},   {"remove"}, {"enable"}, {"disable"},
                              {"comment"},         {"reset"}, {"unset"},  {"edit"}};
constexpr VerbDef kOrdered[] = {{"move"}};
constexpr std::string_view kPrintWords[] = {
    ".proplist",    "detail",      "stats",          "count-only",      "brief",   "terse",
    "stats-detail", "value-list",  "without-paging", "follow",          "from",    "interval",
    "show-ids",     "file",        "as-value",       "about",           "bytes",   "where",
    "append",       "follow-only", ".about",         "without-headers", "proplist"};

std::vector<std::string> split(const std::string& text, char by = ',') {
  std::vector<std::string> items;
  std::size_t from = 0;
  while (from <= text.size()) {
    const std::size_t to = std::min(text.find(by, from), text.size());
    if (to > from) items.push_back(text.substr(from, to - from));
    from = to + 1;
  }
  return items;
}

const VerbDef* among(std::span<const VerbDef> verbs, std::string_view name) {
  for (const VerbDef& verb : verbs) {
    if (verb.name == name) return &verb;
  }
  return nullptr;
}

std::string given_rows(const Request& request) {
  for (const std::string_view name : {".id", "numbers", "number"}) {
    if (request.attributes.has(name)) return request.attributes.text(name);
  }
  return "";
}

Trap no_such_item() {
  return {"no such item (4)", 0};
}

}  // namespace

bool Menu::present(const State& state) const {
  return def_.since.empty() || state.at_least(def_.since);
}

bool Menu::has_verb(const State& state, std::string_view verb) const {
  if (const VerbDef* own = among(def_.verbs, verb)) return own->since.empty() || state.at_least(own->since);
  if (among(kCommon, verb) != nullptr) return true;
  if (def_.kind == MenuDef::Kind::settings) return false;
  if (def_.ordered && among(kOrdered, verb) != nullptr) return true;
  if (def_.fixed && (verb == "add" || verb == "remove")) return false;
  return among(kTable, verb) != nullptr;
}

bool Menu::verb_writes(std::string_view verb) const {
  for (const std::span<const VerbDef> verbs :
       {def_.verbs, std::span<const VerbDef>(kCommon), std::span<const VerbDef>(kTable)}) {
    if (const VerbDef* found = among(verbs, verb)) return found->writes;
  }
  return true;
}

std::string_view Menu::verb_policy(std::string_view verb) const {
  const VerbDef* own = among(def_.verbs, verb);
  if (own != nullptr && !own->policy.empty()) return own->policy;
  return verb_writes(verb) ? def_.write_policy : "read";
}

bool Menu::takes(const State& state, const Param& param) const {
  if (!param.since.empty() && !state.at_least(param.since)) return false;
  if (!param.until.empty() && state.at_least(param.until)) return false;
  return param.except.empty() || state.ros != parse_ros(param.except);
}

const Param* Menu::param(const State& state, std::string_view name) const {
  for (const Param& param : def_.params) {
    if (param.name == name && takes(state, param)) return &param;
  }
  return nullptr;
}

std::vector<Row> Menu::rows(const State& state) const {
  if (def_.kind == MenuDef::Kind::settings) {
    Row row;
    const auto kept = state.settings.find(def_.path);
    if (kept != state.settings.end()) row = kept->second;
    for (const Param& param : def_.params) {
      if (takes(state, param) && !row.has(param.name)) row.put(param.name, std::string(param.fallback));
    }
    return {row};
  }
  std::vector<Row> all = table(state).rows;
  for (Row& row : all) {
    for (const Param& param : def_.params) {
      if (!param.fallback.empty() && !param.add_only && takes(state, param) && !row.has(param.name))
        row.put(param.name, std::string(param.fallback));
    }
  }
  return all;
}

std::optional<Trap> Menu::apply(const State& state, const Attributes& attributes, Row& row,
                                bool adding) const {
  for (const auto& [name, given] : attributes) {
    if (name == ".id" || name == "numbers" || (adding && (name == "place-before" || name == "copy-from")))
      continue;
    const Param* known = param(state, name);
    if (known == nullptr || (known->add_only && !adding))
      return Trap{fmt::format("unknown parameter {}", name)};
    std::string value = given;
    if (known->check != nullptr && !value.empty()) {
      if (auto trap = known->check(state, name, value)) return trap;
    }
    if (value.empty()) {
      row.erase(name);
    } else {
      row.put(name, value);
    }
  }
  if (!adding) return std::nullopt;
  std::string missing;
  for (const Param& known : def_.params) {
    if (known.required && takes(state, known) && !row.has(known.name))
      missing += fmt::format("{}{}", missing.empty() ? "" : ",", known.name);
  }
  if (!missing.empty()) return Trap{fmt::format("missing value(s) of argument(s) {}", missing), 0};
  return std::nullopt;
}

bool Menu::same(const Row& a, const Row& b) const {
  for (const std::string_view name : def_.unique) {
    if (a.text(name) != b.text(name)) return false;
  }
  return !def_.unique.empty();
}

Outcome Menu::execute(State& state, const User& user, const Request& request) {
  const std::string& verb = request.verb;
  if (among(def_.verbs, verb) != nullptr) return own_verb(state, user, request);
  if (verb == "print" || verb == "getall" || verb == "find" || verb == "listen")
    return print(state, user, request);
  if (verb == "get") return get(state, user, request);
  if (verb == "add") return add(state, request);
  if (verb == "set" || verb == "comment") return set(state, request);
  if (verb == "remove") return remove(state, request);
  if (verb == "enable" || verb == "disable") return enable(state, request, verb == "enable");
  if (verb == "move") return move(state, request);
  if (verb == "unset") return unset(state, request);
  if (verb == "export") {
    Outcome outcome;
    outcome.ret = exported(state);
    return outcome;
  }
  return Outcome::trap("no such command", 0);
}

Outcome Menu::own_verb(State&, const User&, const Request&) {
  return Outcome::trap("no such command", 0);
}

Outcome Menu::print(State& state, const User& user, const Request& request) {
  std::vector<std::string> proplist;
  for (const auto& [name, value] : request.attributes) {
    if (request.verb == "find" && name != ".proplist")
      return Outcome::trap(fmt::format("unknown parameter {}", name));
    if (std::find(std::begin(kPrintWords), std::end(kPrintWords), name) == std::end(kPrintWords) &&
        name != ".id")
      return Outcome::trap(fmt::format("unknown parameter {}", name));
    if (name == ".proplist" || name == "proplist") proplist = split(value);
  }
  Outcome outcome;
  const bool table = def_.kind == MenuDef::Kind::table;
  std::vector<Row> all = printed(state, request);
  if (state.booting()) all.clear();
  const std::string wanted_id = request.attributes.text(".id");
  for (Row& row : all) {
    if (!request.query.empty() && !query_matches(row, request.query)) continue;
    if (request.where && !request.where(row)) continue;
    if (table && !wanted_id.empty() && row.text(".id") != wanted_id && row.text("name") != wanted_id)
      continue;
    outcome.rows.push_back(std::move(row));
  }
  if (const std::string* file = request.attributes.find("file")) {
    if (!user.may("write")) return Outcome::trap("not enough permissions (9)");
    std::string text;
    for (const Row& row : outcome.rows) {
      for (const auto& [name, value] : row) text += fmt::format("{}={} ", name, value);
      text += "\r\n";
    }
    state.files.write(*file + ".txt", text, state.now(), state.listing_lag());
    outcome.rows.clear();
    return outcome;
  }
  if (request.attributes.has("count-only")) {
    outcome.ret = std::to_string(outcome.rows.size());
    outcome.rows.clear();
    return outcome;
  }
  if (request.verb == "find") {
    std::string ids;
    for (const Row& row : outcome.rows) ids += (ids.empty() ? "" : ";") + row.text(".id");
    outcome.ret = ids;
    return outcome;
  }
  for (Row& row : outcome.rows) {
    if (proplist.empty()) continue;
    Row limited;
    for (const std::string& name : proplist) {
      if (const std::string* value = row.find(name)) limited.put(name, *value);
    }
    row = std::move(limited);
  }
  return outcome;
}

Outcome Menu::get(State& state, const User&, const Request& request) {
  const std::string value_name = request.attributes.text("value-name");
  std::vector<Row> all = rows(state);
  if (state.booting()) all.clear();
  Row* found = nullptr;
  if (def_.kind == MenuDef::Kind::settings) {
    if (!all.empty()) found = &all.front();
  } else {
    std::vector<Trap> traps;
    std::vector<std::string> ids = named_rows(state, request, traps);
    // A row that is only computed, like a connected route, has an id all the same.
    if (ids.empty() && !request.where) ids = {given_rows(request)};
    if (ids.size() > 1) return Outcome::trap("invalid internal item number", 0);
    for (Row& row : all) {
      if (!ids.empty() && row.text(".id") == ids.front()) found = &row;
    }
  }
  if (found == nullptr) return Outcome::trap("no such item", 0);
  Outcome outcome;
  if (value_name.empty()) {
    outcome.rows.push_back(*found);
    return outcome;
  }
  const std::string* value = found->find(value_name);
  if (value == nullptr) {
    if (param(state, value_name) == nullptr)
      return Outcome::trap("input does not match any value of value-name", 1);
    outcome.ret = "";
    return outcome;
  }
  outcome.ret = *value;
  return outcome;
}

std::vector<std::string> Menu::named_rows(const State& state, const Request& request,
                                          std::vector<Trap>& traps) const {
  std::vector<std::string> ids;
  if (request.where) {
    for (const Row& row : rows(state)) {
      if (request.where(row)) ids.push_back(row.text(".id"));
    }
    return ids;
  }
  for (const std::string& item : split(given_rows(request))) {
    const Table& rows_here = table(state);
    const Row* row = rows_here.by_id(item);
    if (row == nullptr) row = rows_here.by("name", item);
    if (row == nullptr || !owns(*row)) {
      traps.push_back(no_such_item());
    } else {
      ids.push_back(row->text(".id"));
    }
  }
  return ids;
}

std::string Menu::exported(const State& state) const {
  if (!def_.exported || !present(state)) return "";
  std::string text;
  const auto put = [&](const Row& row, std::string_view verb) {
    std::string line(verb);
    for (const auto& [name, value] : row) {
      // What a router computes is no part of its configuration.
      if (param(state, name) != nullptr && name != "password") line += fmt::format(" {}=\"{}\"", name, value);
    }
    text += line + "\n";
  };
  if (def_.kind == MenuDef::Kind::settings) {
    const auto kept = state.settings.find(def_.path);
    if (kept != state.settings.end() && !kept->second.empty()) put(kept->second, "set");
  } else {
    for (const Row& row : table(state).rows) {
      if (owns(row) && !row.flag("dynamic") && !row.flag("builtin")) put(row, def_.fixed ? "set" : "add");
    }
  }
  return text.empty() ? "" : fmt::format("{}\n{}", def_.path, text);
}

}  // namespace mikroscope::routersim
