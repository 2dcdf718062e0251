#include "tests/routersim/console/grammar.h"

#include <algorithm>
#include <iterator>

namespace mikroscope::routersim::console {
namespace {

const std::vector<GlobalDef>& globals() {
  static const std::vector<GlobalDef> all = {
      {"put", {"message"}, {}},
      {"local", {"name", "value"}, {}},
      {"global", {"name", "value"}, {}},
      {"set", {"name", "value"}, {}},
      {"foreach", {"counter"}, {"in", "do"}},
      {"for", {"counter"}, {"from", "to", "step", "do"}},
      {"if", {"condition", "do"}, {"else"}},
      {"while", {"condition"}, {"do"}},
      {"do", {"command"}, {"while", "on-error"}},
      {"onerror", {"error"}, {"in", "do"}, "7.13"},
      {"error", {"message"}, {}},
      {"return", {"value"}, {}},
      {"delay", {"delay-time"}, {}},
      {"len", {"value"}, {}},
      {"typeof", {"value"}, {}},
      {"tostr", {"value"}, {}},
      {"tonum", {"value"}, {}},
      {"toip", {"value"}, {}},
      {"tobool", {"value"}, {}},
      {"toarray", {"value"}, {}},
      {"totime", {"value"}, {}},
      {"toid", {"value"}, {}},
      {"find", {"in", "key", "from"}, {}},
      {"pick", {"value", "begin", "end"}, {}},
      {"serialize", {"value"}, {"to", "options", "delimiter", "order"}, "7.13"},
      {"convert", {"value"}, {"to", "from", "transform", "options"}, "7.12"},
      {"log", {"topics", "message"}, {}},
      {"nothing", {}, {}},
      {"import", {"file-name"}, {"verbose", "dry-run"}},
      {"export", {}, {"file", "compact", "terse", "verbose", "show-sensitive", "hide-sensitive"}},
      {"quit", {}, {}},
  };
  return all;
}

constexpr std::string_view kPrintFlags[] = {
    "detail", "brief",    "terse",          "value-list", "count-only",  "as-value",       "stats",
    "about",  "show-ids", "without-paging", "follow",     "follow-only", "without-headers"};
constexpr std::string_view kPrintArguments[] = {"proplist", ".proplist", "file",
                                                "from",     "interval",  "append"};
constexpr std::string_view kFetchArguments[] = {"url",
                                                "output",
                                                "dst-path",
                                                "http-method",
                                                "http-data",
                                                "http-header-field",
                                                "mode",
                                                "address",
                                                "src-path",
                                                "host",
                                                "user",
                                                "password",
                                                "port",
                                                "keep-result",
                                                "duration",
                                                "check-certificate",
                                                "src-address",
                                                "certificate",
                                                "idle-timeout",
                                                "http-auth-scheme",
                                                "upload",
                                                "http-content-encoding",
                                                "http-max-redirect-count",
                                                "http-percent-encoding"};
constexpr std::string_view kCommonVerbs[] = {"print", "get", "export", "set"};
constexpr std::string_view kTableVerbs[] = {"find", "add", "remove", "enable", "disable", "comment", "unset"};

template <class Range>
std::optional<std::string> unique_prefix(const Range& words, const std::string& word) {
  std::optional<std::string> found;
  for (const auto& candidate : words) {
    const std::string_view text(candidate);
    if (text == word) return word;
    if (!text.starts_with(word) || word.empty()) continue;
    if (found && *found != text) return std::nullopt;
    found = std::string(text);
  }
  return found;
}

}  // namespace

bool is_code(std::string_view global, std::string_view argument) {
  return argument == "do" || argument == "else" || argument == "on-error" ||
         (global == "do" && argument == "command") || (global == "onerror" && argument == "in");
}

bool is_variable_name(std::string_view global, std::string_view argument) {
  return argument == "counter" || (global == "onerror" && argument == "error") ||
         ((global == "local" || global == "global" || global == "set") && argument == "name");
}

Grammar::Grammar(const std::string& ros) : ros_(parse_ros(ros)) {
  for (const auto& menu : menus_.all()) {
    if (!since(menu->def().since)) continue;
    std::string path(menu->def().path);
    while (!path.empty()) {
      paths_.insert(path);
      path.resize(path.rfind('/'));
    }
  }
}

std::optional<std::string> Grammar::child(const std::string& menu, const std::string& word) const {
  std::vector<std::string> below;
  for (const std::string& path : paths_) {
    if (path.starts_with(menu + "/") && path.find('/', menu.size() + 1) == std::string::npos)
      below.push_back(path.substr(menu.size() + 1));
  }
  const auto found = unique_prefix(below, word);
  // "pr" is the verb of this menu rather than a menu with a longer name.
  if (!found || (*found != word && verb(menu, word))) return std::nullopt;
  return menu + "/" + *found;
}

std::optional<std::string> Grammar::verb(const std::string& menu, const std::string& word) const {
  const Menu* const here = menus_.find(menu);
  if (here == nullptr) return std::nullopt;
  const MenuDef& def = here->def();
  std::vector<std::string> verbs(std::begin(kCommonVerbs), std::end(kCommonVerbs));
  if (def.kind == MenuDef::Kind::table) {
    for (const std::string_view name : kTableVerbs) {
      if (!def.fixed || (name != "add" && name != "remove")) verbs.emplace_back(name);
    }
  }
  if (def.ordered) verbs.emplace_back("move");
  for (const VerbDef& own : def.verbs) {
    if (since(own.since)) verbs.emplace_back(own.name);
  }
  return unique_prefix(verbs, word);
}

std::vector<std::string> Grammar::arguments(const std::string& menu, const std::string& verb) const {
  std::vector<std::string> names;
  if (verb == "print") return {std::begin(kPrintArguments), std::end(kPrintArguments)};
  if (verb == "fetch") return {std::begin(kFetchArguments), std::end(kFetchArguments)};
  if (verb == "get") return {"number", "value-name"};
  if (verb == "unset") return {"numbers", "value-name"};
  if (verb == "move") return {"numbers", "destination"};
  if (verb == "comment") return {"numbers", "comment"};
  if (verb == "read" && menu == "/file") return {"file", "offset", "chunk-size"};
  if (verb == "import") return {"public-key-file", "user", "private-key-file", "passphrase", "key-owner"};
  if (menu == "/log") return {"message"};
  const Menu* const here = menus_.find(menu);
  if (here == nullptr) return names;
  if (verb == "set" || verb == "add") {
    for (const Param& param : here->def().params) {
      const bool known = since(param.since) && (param.until.empty() || ros_ < parse_ros(param.until)) &&
                         (param.except.empty() || ros_ != parse_ros(param.except));
      if (known && !(verb == "set" && param.add_only)) names.emplace_back(param.name);
    }
    if (verb == "add") names.emplace_back("copy-from");
    if (verb == "add" && here->def().ordered) names.emplace_back("place-before");
  }
  if (verb != "add" && here->def().kind == MenuDef::Kind::table) {
    names.emplace_back("numbers");
    names.emplace_back("number");
  }
  if (verb == "export") names.emplace_back("file");
  if (menu == "/system/device-mode") {
    for (const char* key : {"container", "fetch", "scheduler", "mode", "flagged", "activation-timeout"})
      names.emplace_back(key);
  }
  if (menu == "/container" && (verb == "shell" || verb == "log" || verb == "kill" || verb == "save")) {
    for (const char* key : {"cmd", "user", "signal", "file"}) names.emplace_back(key);
  }
  return names;
}

std::optional<std::string> Grammar::argument(const std::string& menu, const std::string& verb,
                                             const std::string& word) const {
  const auto found = unique_prefix(arguments(menu, verb), word);
  if (found == "idle-timeout" && !since("7.15")) return std::nullopt;
  return found;
}

std::optional<std::string> Grammar::flag(const std::string& menu, const std::string& verb,
                                         const std::string& word) const {
  if (verb == "print")
    return unique_prefix(std::vector(std::begin(kPrintFlags), std::end(kPrintFlags)), word);
  if (word == "as-value" && (verb == "fetch" || verb == "read")) return word;
  if (verb == "export" &&
      (word == "terse" || word == "compact" || word == "verbose" || word == "show-sensitive"))
    return word;
  static_cast<void>(menu);
  return std::nullopt;
}

std::vector<std::string_view> Grammar::values(const std::string& menu, const std::string& verb) const {
  const Menu* const here = menus_.find(menu);
  if (here != nullptr && here->def().kind == MenuDef::Kind::settings && menu != "/tool" && menu != "/system")
    return verb == "get" ? std::vector<std::string_view>{"value-name"} : std::vector<std::string_view>{};
  if (verb == "add" || verb == "print" || verb == "find" || verb == "fetch" || verb == "export") return {};
  if (verb == "get") return {".id", "value-name"};
  if (menu == "/log") return {"message"};
  if (verb == "unset") return {".id", "value-name"};
  if (verb == "move") return {".id", "destination"};
  if (verb == "comment") return {".id", "comment"};
  return {".id"};
}

const GlobalDef* Grammar::global(std::string_view name) const {
  for (const GlobalDef& def : globals()) {
    if (def.name == name && since(def.since)) return &def;
  }
  return nullptr;
}

bool Grammar::knows_option(std::string_view global, std::string_view argument) const {
  return !(global == "serialize" && argument == "options") || since("7.17");
}

}  // namespace mikroscope::routersim::console
