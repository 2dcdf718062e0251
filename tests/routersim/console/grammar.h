// The words that the console knows: menus, verbs, arguments, commands of the language, by version.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tests/routersim/menu.h"
#include "tests/routersim/version.h"

namespace mikroscope::routersim::console {

// A command of the language itself.
struct GlobalDef {
  std::string_view name;
  std::vector<std::string_view> values;  // names of the values that stand without one, in order
  std::vector<std::string_view> named;   // other arguments
  std::string_view since = {};
};

// Arguments that hold code, and those that hold the name of a variable.
bool is_code(std::string_view global, std::string_view argument);
bool is_variable_name(std::string_view global, std::string_view argument);

class Grammar {
 public:
  explicit Grammar(const std::string& ros);

  // The menu below `menu` that the word means: exactly, or as the only one that it begins.
  std::optional<std::string> child(const std::string& menu, const std::string& word) const;
  std::optional<std::string> verb(const std::string& menu, const std::string& word) const;
  std::optional<std::string> argument(const std::string& menu, const std::string& verb,
                                      const std::string& word) const;
  // Words that stand for themselves after a verb: as-value, detail, …
  std::optional<std::string> flag(const std::string& menu, const std::string& verb,
                                  const std::string& word) const;
  // How many values without a name the verb takes, and what they are called.
  std::vector<std::string_view> values(const std::string& menu, const std::string& verb) const;

  const GlobalDef* global(std::string_view name) const;
  bool knows_option(std::string_view global, std::string_view argument) const;

 private:
  bool since(std::string_view version) const { return version.empty() || ros_ >= parse_ros(version); }
  std::vector<std::string> arguments(const std::string& menu, const std::string& verb) const;

  RosVersion ros_;
  Menus menus_;
  std::set<std::string> paths_;  // of menus, and what lies above them
};

}  // namespace mikroscope::routersim::console
