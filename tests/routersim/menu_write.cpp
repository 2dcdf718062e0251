// The verbs of a menu that change rows.
#include <fmt/format.h>

#include <algorithm>

#include "tests/routersim/menu.h"

namespace mikroscope::routersim {

Outcome Menu::add(State& state, const Request& request) {
  if (def_.fixed || def_.kind == MenuDef::Kind::settings) return Outcome::trap("no such command", 0);
  Table& here = table(state);
  Row row;
  if (const std::string* from = request.attributes.find("copy-from")) {
    const Row* source = here.by_id(*from);
    if (source == nullptr) return Outcome::trap("no such item", 0);
    row = *source;
    row.erase(".id");
    row.erase("dynamic");
  }
  if (auto trap = apply(state, request.attributes, row, true))
    return Outcome::trap(trap->message, trap->category);
  if (auto trap = before_add(state, row, request)) return Outcome::trap(trap->message, trap->category);
  for (const Row& other : here.rows) {
    if (same(other, row)) return Outcome::trap(std::string(def_.already));
  }
  auto place = here.rows.end();
  if (const std::string* before = request.attributes.find("place-before")) {
    if (!def_.ordered) return Outcome::trap("unknown parameter place-before");
    place = std::find_if(here.rows.begin(), here.rows.end(),
                         [&](const Row& other) { return other.text(".id") == *before; });
    if (place == here.rows.end()) return Outcome::trap("no such item", 0);
  }
  Row whole{{".id", fmt::format("*{:X}", here.next++)}};
  for (const auto& [name, value] : row) whole.append(name, value);
  const std::string id = whole.text(".id");
  here.rows.insert(place, std::move(whole));
  after_add(state, *here.by_id(id));
  Outcome outcome;
  outcome.ret = id;
  return outcome;
}

Outcome Menu::set(State& state, const Request& request) {
  if (def_.kind == MenuDef::Kind::settings) {
    Row row = state.setting(def_.path);
    const Row old = row;
    if (auto trap = apply(state, request.attributes, row, false))
      return Outcome::trap(trap->message, trap->category);
    if (auto trap = before_set(state, old, row)) return Outcome::trap(trap->message, trap->category);
    state.setting(def_.path) = row;
    after_set(state, old, state.setting(def_.path));
    return {};
  }
  Outcome outcome;
  for (const std::string& id : named_rows(state, request, outcome.traps)) {
    Row* at = table(state).by_id(id);
    if (at == nullptr || at->flag("dynamic")) return Outcome::trap("failure: cannot change dynamic entry");
    const Row old = *at;
    Row row = old;
    if (auto trap = apply(state, request.attributes, row, false))
      return Outcome::trap(trap->message, trap->category);
    if (auto trap = before_set(state, old, row)) return Outcome::trap(trap->message, trap->category);
    for (const Row& other : table(state).rows) {
      if (other.text(".id") != id && same(other, row)) return Outcome::trap(std::string(def_.already));
    }
    *at = row;
    after_set(state, old, *at);
  }
  return outcome;
}

Outcome Menu::remove(State& state, const Request& request) {
  Outcome outcome;
  for (const std::string& id : named_rows(state, request, outcome.traps)) {
    Table& here = table(state);
    const Row* at = here.by_id(id);
    const Row old = at == nullptr ? Row{{"dynamic", "true"}} : *at;
    if (old.flag("dynamic") || old.flag("builtin")) {
      outcome.traps.push_back({"failure: cannot remove dynamic or builtin entry"});
      continue;
    }
    if (auto trap = before_remove(state, old)) {
      outcome.traps.push_back(*trap);
      continue;
    }
    here.rows.erase(std::find_if(here.rows.begin(), here.rows.end(),
                                 [&](const Row& row) { return row.text(".id") == id; }));
    after_remove(state, old);
  }
  return outcome;
}

Outcome Menu::enable(State& state, const Request& request, bool on) {
  Request as_set = request;
  as_set.verb = "set";
  as_set.attributes.put("disabled", on ? "no" : "yes");
  if (param(state, "disabled") == nullptr) return Outcome::trap("no such command", 0);
  return set(state, as_set);
}

Outcome Menu::unset(State& state, const Request& request) {
  Outcome outcome;
  const std::string name = request.attributes.text("value-name");
  if (param(state, name) == nullptr) return Outcome::trap("input does not match any value of value-name", 1);
  for (const std::string& id : named_rows(state, request, outcome.traps)) table(state).by_id(id)->erase(name);
  return outcome;
}

Outcome Menu::move(State& state, const Request& request) {
  Outcome outcome;
  Table& here = table(state);
  const std::vector<std::string> ids = named_rows(state, request, outcome.traps);
  const std::string destination = request.attributes.text("destination");
  if (!destination.empty() && here.by_id(destination) == nullptr) return Outcome::trap("no such item", 0);
  for (const std::string& id : ids) {
    const auto from = std::find_if(here.rows.begin(), here.rows.end(),
                                   [&](const Row& row) { return row.text(".id") == id; });
    if (from == here.rows.end()) continue;
    Row row = *from;
    here.rows.erase(from);
    const auto to = std::find_if(here.rows.begin(), here.rows.end(),
                                 [&](const Row& other) { return other.text(".id") == destination; });
    here.rows.insert(to, std::move(row));
  }
  return outcome;
}

}  // namespace mikroscope::routersim
