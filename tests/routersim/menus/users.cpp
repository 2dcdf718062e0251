// /user, its groups and keys.
#include <fmt/format.h>

#include "tests/routersim/accounts.h"
#include "tests/routersim/menus/menus.h"

namespace mikroscope::routersim {
namespace {

std::optional<Trap> check_group(const State& state, std::string_view name, std::string& value) {
  if (state.table("/user/group").by("name", value) == nullptr) return bad_value(name);
  return std::nullopt;
}

std::optional<Trap> check_name(const State&, std::string_view name, std::string& value) {
  for (const char c : value) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (!plain && std::string_view("_.#-@").find(c) == std::string_view::npos)
      return Trap{fmt::format("invalid value of {}", name), 1};
  }
  return std::nullopt;
}

constexpr Param kUser[] = {
    {"name", check_name, {}, {}, {}, {}, true},
    {"group", check_group, {}, {}, {}, {}, true},
    {"password"},
    {"address"},
    {"comment"},
    {"disabled", check_flag, "false"},
    {"inactivity-timeout", nullptr, {}, "7.16"},
};
constexpr VerbDef kUserVerbs[] = {{"expire-password"}};

class Users final : public Menu {
 public:
  Users()
      : Menu({.path = "/user",
              .params = kUser,
              .verbs = kUserVerbs,
              .write_policy = "policy",
              .already = "failure: user with the same name already exists",
              .unique = {"name"}}) {}
  std::vector<Row> rows(const State& state) const override {
    std::vector<Row> all = Menu::rows(state);
    for (Row& row : all) row.erase("password");
    return all;
  }

 protected:
  std::optional<Trap> before_remove(State& state, const Row& row) override {
    return lone_admin(state, row)
               ? std::optional<Trap>(Trap{"failure: cannot remove last user with full rights"})
               : std::nullopt;
  }
  std::optional<Trap> before_set(State& state, const Row& old, Row& row) override {
    const bool loses = row.text("group") != "full" || row.flag("disabled");
    return loses && lone_admin(state, old)
               ? std::optional<Trap>(Trap{"failure: cannot change last user with full rights"})
               : std::nullopt;
  }
  Outcome own_verb(State& state, const User&, const Request& request) override {
    Outcome outcome;
    for (const std::string& id : named_rows(state, request, outcome.traps))
      table(state).by_id(id)->put("expired", "true");
    return outcome;
  }

 private:
  static bool lone_admin(const State& state, const Row& row) {
    int full = 0;
    for (const Row& other : state.table("/user").rows)
      full += other.text("group") == "full" && !other.flag("disabled") ? 1 : 0;
    return full == 1 && row.text("group") == "full" && !row.flag("disabled");
  }
};

constexpr Param kGroup[] = {
    {"name", check_name, {}, {}, {}, {}, true}, {"policy"}, {"skin", nullptr, "default"}, {"comment"}};

class Groups final : public Menu {
 public:
  Groups()
      : Menu({.path = "/user/group",
              .params = kGroup,
              .write_policy = "policy",
              .already = "failure: group with the same name already exists",
              .unique = {"name"}}) {}
  std::vector<Row> rows(const State& state) const override {
    std::vector<Row> all = Menu::rows(state);
    for (Row& row : all) row.put("policy", print_policies(parse_policies(row.text("policy"))));
    return all;
  }

 protected:
  std::optional<Trap> before_add(State&, Row& row, const Request&) override { return known(row); }
  std::optional<Trap> before_set(State&, const Row&, Row& row) override { return known(row); }

 private:
  static std::optional<Trap> known(const Row& row) {
    const auto& all = all_policies();
    for (const std::string& policy : parse_policies(row.text("policy"))) {
      if (std::find(all.begin(), all.end(), policy) == all.end()) return bad_value("policy");
    }
    return std::nullopt;
  }
};

std::optional<Trap> check_user(const State& state, std::string_view name, std::string& value) {
  if (state.table("/user").by("name", value) == nullptr) return bad_value(name);
  return std::nullopt;
}

constexpr Param kKey[] = {
    {"user", check_user, {}, {}, {}, {}, true}, {"key", nullptr, {}, "7.9", {}, {}, true, true}, {"comment"}};
constexpr VerbDef kKeyVerbs[] = {{"import", "", true, "policy"}};

class Keys final : public Menu {
 public:
  Keys() : Menu({.path = "/user/ssh-keys", .params = kKey, .verbs = kKeyVerbs, .write_policy = "policy"}) {}
  std::vector<Row> rows(const State& state) const override {
    std::vector<Row> all = Menu::rows(state);
    for (Row& row : all) row.erase("blob");
    return all;
  }

 protected:
  std::optional<Trap> before_add(State&, Row& row, const Request&) override {
    const auto key = parse_public_key(row.text("key"));
    if (!key) return Trap{"failure: unable to load key file (wrong format or bad passphrase)!"};
    row.erase("key");
    row.put("key-type", key->type == "ssh-rsa" ? "rsa" : "ed25519");
    row.put("bits", key->type == "ssh-rsa" ? "2048" : "256");
    row.put("key-owner", key->owner);
    row.put("blob", key->blob);
    return std::nullopt;
  }
  Outcome own_verb(State& state, const User&, const Request& request) override {
    const File* file = state.files.find(request.attributes.text("public-key-file"));
    if (file == nullptr) return Outcome::trap("input does not match any value of public-key-file", 1);
    Request as_add = request;
    as_add.verb = "add";
    as_add.attributes = {{"user", request.attributes.text("user")}, {"key", file->contents}};
    Outcome outcome = add(state, as_add);
    // The router consumes the file.
    if (outcome.ok()) state.files.remove(request.attributes.text("public-key-file"));
    outcome.ret.reset();
    return outcome;
  }
};

}  // namespace

std::unique_ptr<Menu> make_user() {
  return std::make_unique<Users>();
}
std::unique_ptr<Menu> make_user_group() {
  return std::make_unique<Groups>();
}
std::unique_ptr<Menu> make_ssh_keys() {
  return std::make_unique<Keys>();
}

}  // namespace mikroscope::routersim
