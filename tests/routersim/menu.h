// A menu: what it holds, what it takes in which version, and its verbs.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tests/routersim/request.h"
#include "tests/routersim/state.h"
#include "tests/routersim/values.h"

namespace mikroscope::routersim {

// An argument of add and set.
struct Param {
  std::string_view name;
  Check check = nullptr;           // null: any text
  std::string_view fallback = {};  // what a row reads when it was never given; empty: absent
  std::string_view since = {};     // the first version that knows it
  std::string_view until = {};     // the first that does not any more
  std::string_view except = {};    // one version between them that does not
  bool required = false;           // for add
  bool add_only = false;           // not kept in the row
};

struct VerbDef {
  std::string_view name;
  std::string_view since = {};
  bool writes = true;
  std::string_view policy = {};  // "": read or write, as it writes
};

struct MenuDef {
  enum class Kind { table, settings };

  std::string_view path;
  Kind kind = Kind::table;
  std::span<const Param> params = {};
  std::span<const VerbDef> verbs = {};  // beside those that every menu of its kind has
  bool ordered = false;                 // rows have places: move, place-before
  bool fixed = false;                   // rows are not added or removed
  bool exported = true;
  std::string_view since = {};
  std::string_view write_policy = "write";
  std::string_view already = "failure: already have such entry";
  std::vector<std::string_view> unique = {};  // no two rows equal in all of these
};

class Menu {
 public:
  explicit Menu(MenuDef def) : def_(std::move(def)) {}
  virtual ~Menu() = default;
  Menu(const Menu&) = delete;
  Menu& operator=(const Menu&) = delete;

  const MenuDef& def() const { return def_; }
  // Whether this router has it at all.
  virtual bool present(const State& state) const;
  bool has_verb(const State& state, std::string_view verb) const;
  bool verb_writes(std::string_view verb) const;
  std::string_view verb_policy(std::string_view verb) const;

  // What the router prints: rows with ".id", or the one row of a settings menu.
  virtual std::vector<Row> rows(const State& state) const;
  // The same for one print, whose words (stats, …) may ask for more.
  virtual std::vector<Row> printed(const State& state, const Request&) const { return rows(state); }
  // The verb is known to exist and to be permitted.
  virtual Outcome execute(State& state, const User& user, const Request& request);
  // Lines of /export; "" for none.
  std::string exported(const State& state) const;

 protected:
  virtual const Table& table(const State& state) const { return state.table(def_.path); }
  virtual Table& table(State& state) const { return state.table(def_.path); }
  // Whether a row of its table is one of this menu's: tables are shared by the kinds of interface.
  virtual bool owns(const Row&) const { return true; }
  // Values have been checked one by one; these look at the whole row and may complete it.
  virtual std::optional<Trap> before_add(State&, Row&, const Request&) { return std::nullopt; }
  virtual void after_add(State&, Row&) {}
  virtual std::optional<Trap> before_set(State&, const Row& /*old*/, Row&) { return std::nullopt; }
  virtual void after_set(State&, const Row& /*old*/, Row&) {}
  virtual std::optional<Trap> before_remove(State&, const Row&) { return std::nullopt; }
  // The row is out of its table.
  virtual void after_remove(State&, const Row&) {}
  // Its own verbs, and print modes that are not plain.
  virtual Outcome own_verb(State& state, const User& user, const Request& request);

  Outcome print(State& state, const User& user, const Request& request);
  Outcome add(State& state, const Request& request);
  Outcome set(State& state, const Request& request);
  Outcome remove(State& state, const Request& request);
  Outcome enable(State& state, const Request& request, bool on);
  Outcome move(State& state, const Request& request);
  Outcome get(State& state, const User& user, const Request& request);
  Outcome unset(State& state, const Request& request);

  // The ids that .id, numbers or the console's conditions name; traps for those that are not there.
  virtual std::vector<std::string> named_rows(const State& state, const Request& request,
                                              std::vector<Trap>& traps) const;
  bool takes(const State& state, const Param& param) const;
  const Param* param(const State& state, std::string_view name) const;
  std::optional<Trap> apply(const State& state, const Attributes& attributes, Row& row, bool adding) const;
  virtual bool same(const Row& a, const Row& b) const;  // equal in def().unique

 private:
  MenuDef def_;
};

// Every menu of the router, by path.
class Menus {
 public:
  Menus();
  ~Menus();
  Menu* find(std::string_view path) const;
  const std::vector<std::unique_ptr<Menu>>& all() const { return menus_; }

 private:
  std::vector<std::unique_ptr<Menu>> menus_;
};

}  // namespace mikroscope::routersim
