// /container and what lies below it: which version knows which argument is the point of these tables.
#include <fmt/format.h>

#include "tests/routersim/container/engine.h"
#include "tests/routersim/menus/menus.h"

namespace mikroscope::routersim {
namespace {

std::optional<Trap> check_veth(const State& state, std::string_view name, std::string& value) {
  const Row* row = state.interface(value);
  if (row == nullptr || row->text("type") != "veth") return bad_value(name);
  return std::nullopt;
}

std::optional<Trap> check_restart(const State&, std::string_view name, std::string& value) {
  if (value == "no" || value == "on-failure" || value == "always") return std::nullopt;
  return bad_value(name);
}

std::optional<Trap> check_memory_max(const State& state, std::string_view name, std::string& value) {
  if (auto trap = check_bytes(state, name, value)) return trap;
  if (value != "unlimited" && std::stoull(value) < (1u << 20))
    return Trap{"value of memory-max is out of range (1048576 .. 18446744073709551615)", 1};
  return std::nullopt;
}

std::optional<Trap> check_signal(const State&, std::string_view name, std::string& value) {
  const auto number = std::atoi(value.c_str());
  if (number < 1 || number > 31) return bad_value(name);
  return std::nullopt;
}

constexpr Param kContainer[] = {
    {"cmd"},
    {"comment"},
    {"dns"},
    {"domain-name"},
    {"entrypoint"},
    {"envlist", nullptr, {}, {}, "7.20"},
    {"file"},
    {"hostname"},
    {"interface", check_veth, {}, {}, {}, {}, true},
    {"logging", check_flag, "false"},
    {"mounts", nullptr, {}, {}, "7.21"},
    {"remote-image"},
    {"root-dir"},
    {"start-on-boot", check_flag, "false"},
    {"stop-signal", check_signal},
    {"user"},
    {"workdir"},
    {"name", nullptr, {}, "7.19"},
    {"auto-restart-interval", check_time, {}, "7.20", "7.23"},
    {"check-certificate", check_flag, {}, "7.20"},
    {"devices", nullptr, {}, "7.20"},
    {"memory-high", check_bytes, {}, "7.20"},
    {"envlists", nullptr, {}, "7.20"},
    {"cpu-list", nullptr, {}, "7.21"},
    {"env", nullptr, {}, "7.21"},
    {"hosts", nullptr, {}, "7.21"},
    {"layer-dir", nullptr, {}, "7.21"},
    {"mount", nullptr, {}, "7.21"},
    {"stop-time", check_time, {}, "7.21"},
    {"mountlists", nullptr, {}, "7.21"},
    {"shm-size", check_bytes, {}, "7.21.2"},
    {"tmpfs", nullptr, {}, "7.21.2"},
    {"healthcheck-cmd", nullptr, {}, "7.22"},
    {"healthcheck-interval", check_time, {}, "7.22"},
    {"healthcheck-timeout", check_time, {}, "7.22"},
    {"healthcheck-start-period", check_time, {}, "7.22"},
    {"healthcheck-start-interval", check_time, {}, "7.22"},
    {"healthcheck-retries", check_number, {}, "7.22"},
    {"memory-max", check_memory_max, {}, "7.23"},
    {"restart-policy", check_restart, "no", "7.23"},
    {"restart-interval", check_time, {}, "7.23"},
    {"restart-max-count", check_number, {}, "7.23"},
    {"shell", nullptr, {}, "7.23"},
    {"stop-on-unhealthy", check_flag, {}, "7.23"},
    {"default-dns", nullptr, {}, "7.23"},
    {"ignore-remote-image-change", check_flag, {}, "7.23.2", {}, "7.24beta1"},
    {"privileged", check_flag, {}, "7.24"},
    {"swap-max", check_bytes, {}, "7.24"},
};

constexpr VerbDef kVerbs[] = {{"start"},
                              {"stop"},
                              {"remove"},
                              {"shell"},
                              {"log", "7.20", false},
                              {"repull", "7.20"},
                              {"kill", "7.21"},
                              {"layers", "7.21", false},
                              {"run", "7.21"},
                              {"update", "7.21"},
                              {"restart", "7.23"},
                              {"save", "7.24"}};

class Containers final : public Menu {
 public:
  Containers() : Menu({.path = "/container", .params = kContainer, .verbs = kVerbs}) {}
  bool present(const State& state) const override { return state.has_containers(); }

  std::vector<Row> rows(const State& state) const override {
    std::vector<Row> all = Menu::rows(state);
    for (Row& row : all) state.engine->describe(row);
    return all;
  }
  Outcome execute(State& state, const User& user, const Request& request) override {
    const std::string& verb = request.verb;
    if (verb == "unset" && !state.at_least("7.21")) return Outcome::trap("no such command", 0);
    const bool acts = verb == "add" || verb == "start" || verb == "run" || verb == "repull";
    if (acts && state.config.flagged)
      return Outcome::trap(
          "failure: configuration flagged, check all router configuration for unauthorized "
          "changes and update device-mode");
    if (acts && !state.device_mode("container")) return Outcome::trap("failure: not allowed by device-mode");
    Outcome outcome = Menu::execute(state, user, request);
    // A set that leaves the policy out puts it to always.
    if (verb == "set" && outcome.ok() && state.at_least("7.23") &&
        !request.attributes.has("restart-policy")) {
      std::vector<Trap> traps;
      for (const std::string& id : named_rows(state, request, traps))
        table(state).by_id(id)->put("restart-policy", "always");
    }
    return outcome;
  }

 protected:
  std::optional<Trap> before_add(State& state, Row& row, const Request&) override {
    if (row.has("file") == row.has("remote-image"))
      return Trap{row.has("file") ? "failure: file and remote-image cannot be given together"
                                  : "failure: no image specified"};
    if (row.has("file")) {
      row.put("file", state.files.clean(row.text("file")));
      const File* file = state.files.find(row.text("file"));
      if (file == nullptr || file->directory)
        return Trap{"failure: file " + row.text("file") + " does not exist"};
    }
    const std::string root = state.files.clean(row.text("root-dir"));
    row.put("root-dir",
            "/" + (root.empty() ? fmt::format("container{}", state.table("/container").next) : root));
    for (const Row& other : state.table("/container").rows) {
      if (other.text("root-dir") == row.text("root-dir"))
        return Trap{"failure: root-dir is used by another container"};
      if (row.has("name") && other.text("name") == row.text("name"))
        return Trap{"failure: container with the same name already exists"};
    }
    return std::nullopt;
  }
  void after_add(State& state, Row& row) override { state.engine->added(row); }

  Outcome own_verb(State& state, const User&, const Request& request) override {
    Outcome outcome;
    if (request.verb == "log" || request.verb == "layers") return outcome;
    if (request.verb == "shell" || request.verb == "run" || request.verb == "save" ||
        request.verb == "update")
      return Outcome::trap("failure: this double does not do " + request.verb);
    // `number` until 7.20, `numbers` from then on; .id in all.
    if (request.attributes.has(state.at_least("7.20") ? "number" : "numbers") &&
        (request.verb == "start" || request.verb == "stop"))
      return Outcome::trap(state.at_least("7.20") ? "unknown parameter number" : "unknown parameter numbers");
    for (const std::string& id : named_rows(state, request, outcome.traps)) {
      std::optional<Trap> trap;
      if (request.verb == "start") trap = state.engine->start(id);
      if (request.verb == "stop") trap = state.engine->stop(id);
      if (request.verb == "kill") trap = state.engine->kill(id);
      if (request.verb == "remove") trap = state.engine->remove(id);
      if (request.verb == "repull") trap = state.engine->repull(id);
      if (request.verb == "restart") {
        trap = state.engine->stop(id);
        if (!trap) state.engine->start_after_stop(id);
      }
      if (trap) outcome.traps.push_back(*trap);
    }
    return outcome;
  }
};

constexpr Param kConfig[] = {{"registry-url", nullptr, "https://lscr.io/"},
                             {"username"},
                             {"password"},
                             {"tmpdir"},
                             {"layer-dir", nullptr, {}, "7.11"},
                             {"ram-high", check_bytes, {}, {}, "7.20"},
                             {"memory-high", check_bytes, {}, "7.20"},
                             {"memory-max", check_bytes, {}, "7.23"},
                             {"swap-max", check_bytes, {}, "7.24"}};

class ContainerConfig final : public Menu {
 public:
  ContainerConfig()
      : Menu({.path = "/container/config", .kind = MenuDef::Kind::settings, .params = kConfig}) {}
  bool present(const State& state) const override { return state.has_containers(); }
  std::vector<Row> rows(const State& state) const override {
    std::vector<Row> all = Menu::rows(state);
    all.front().put("password", all.front().text("password").empty() ? "" : "*****");
    all.front().put("assumed-registry-url", all.front().text("registry-url"));
    return all;
  }
};

constexpr Param kEnvs[] = {{"name", nullptr, {}, {}, "7.20", {}, true},
                           {"list", nullptr, {}, "7.20", {}, {}, true},
                           {"key", nullptr, {}, {}, {}, {}, true},
                           {"value"},
                           {"comment"},
                           {"disabled", check_flag, {}, "7.21"}};

// A menu of the container package.
class Packaged : public Menu {
 public:
  using Menu::Menu;
  bool present(const State& state) const override { return state.has_containers(); }
};

class Envs final : public Packaged {
 public:
  Envs() : Packaged({.path = "/container/envs", .params = kEnvs, .unique = {"list", "name", "key"}}) {}
};

constexpr Param kMounts[] = {{"name", nullptr, {}, {}, "7.21", {}, true},
                             {"list", nullptr, {}, "7.21", {}, {}, true},
                             {"src", nullptr, {}, {}, {}, {}, true},
                             {"dst", nullptr, {}, {}, {}, {}, true},
                             {"read-only", check_flag, {}, "7.20", "7.23"},
                             {"mode", check_mode, {}, "7.23"},
                             {"comment"},
                             {"disabled", check_flag, {}, "7.21"}};

}  // namespace

std::unique_ptr<Menu> make_container() {
  return std::make_unique<Containers>();
}
std::unique_ptr<Menu> make_container_config() {
  return std::make_unique<ContainerConfig>();
}
std::unique_ptr<Menu> make_envs() {
  return std::make_unique<Envs>();
}
std::unique_ptr<Menu> make_mounts() {
  return std::make_unique<Packaged>(MenuDef{.path = "/container/mounts", .params = kMounts});
}

}  // namespace mikroscope::routersim
