// /system and what lies below it.
#include <fmt/format.h>

#include "tests/routersim/dates.h"
#include "tests/routersim/menus/menus.h"

namespace mikroscope::routersim {
namespace {

std::string board(const State& state) {
  if (!state.config.board.empty()) return state.config.board;
  if (state.config.arch == "arm64") return "RB5009UG+S+";
  if (state.config.arch == "arm") return "E50UG";
  if (state.config.arch == "x86_64") return "CHR QEMU Standard PC (Q35 + ICH9, 2009)";
  return "RB750Gr3";
}

std::string cpu(const State& state) {
  if (state.config.arch == "arm64") return "ARM64";
  if (state.config.arch == "arm") return board(state) == "E50UG" ? "EN7562CT" : "ARM";
  return state.config.arch == "x86_64" ? "QEMU" : "MIPS 1004Kc V2.15";
}

// A settings menu that only computes.
class Computed : public Menu {
 public:
  using Menu::Menu;
  Outcome execute(State& state, const User& user, const Request& request) override {
    if (request.verb == "set") return Outcome::trap("no such command", 0);
    return Menu::execute(state, user, request);
  }
};

class Resource final : public Computed {
 public:
  Resource() : Computed({.path = "/system/resource", .kind = MenuDef::Kind::settings, .exported = false}) {}
  std::vector<Row> rows(const State& state) const override {
    const Config& config = state.config;
    const Files::Space* space = state.files.volume("");
    return {{{"uptime", state.faults.uptime.empty() ? print_span((state.now() - state.booted_ms) / 1000 + 60)
                                                    : state.faults.uptime},
             {"version", fmt::format("{} ({})", config.ros, config.channel)},
             {"build-time", date_time(state.at_least("7.10"), 1'767'225'600)},
             {"factory-software", "7.4"},
             {"free-memory", std::to_string(config.free_memory)},
             {"total-memory", std::to_string(config.memory)},
             {"cpu", cpu(state)},
             {"cpu-count", "4"},
             {"cpu-frequency", "1400"},
             {"cpu-load", std::to_string(3 + state.now() / 1000 % 5)},
             {"free-hdd-space", std::to_string(space == nullptr ? 0 : space->total - space->used)},
             {"total-hdd-space", std::to_string(config.disk)},
             {"write-sect-since-reboot", std::to_string(58'279 + state.writes)},
             {"write-sect-total", std::to_string(1'058'279 + state.writes)},
             {"bad-blocks", "0"},
             {"architecture-name", config.arch},
             {"board-name", board(state)},
             {"platform", "MikroTik"}}};
  }
};

// Percentages of the last second; core 0 takes the interrupts.
class Cores final : public Menu {
 public:
  Cores() : Menu({.path = "/system/resource/cpu", .fixed = true, .exported = false}) {}
  std::vector<Row> rows(const State& state) const override {
    std::vector<Row> all;
    const std::int64_t second = state.now() / 1000;
    for (int core = 0; core < 4; ++core) {
      all.push_back({{".id", fmt::format("*{}", core)},
                     {"cpu", fmt::format("cpu{}", core)},
                     {"load", std::to_string(3 + (second + core) % 5)},
                     {"irq", core == 0 ? "2" : "0"},
                     {"disk", "0"}});
    }
    return all;
  }
};

constexpr VerbDef kSystemVerbs[] = {{"reboot", "", true, "reboot"}, {"shutdown", "", true, "reboot"}};
// Router::run does the reboot once the command went well.
class System final : public Computed {
 public:
  System()
      : Computed(
            {.path = "/system", .kind = MenuDef::Kind::settings, .verbs = kSystemVerbs, .exported = false}) {}
  std::vector<Row> rows(const State&) const override { return {}; }

 protected:
  Outcome own_verb(State&, const User&, const Request& request) override {
    return request.verb == "reboot" ? Outcome() : Outcome::trap("failure: this double does not shut down");
  }
};

constexpr Param kIdentity[] = {{"name", nullptr, "MikroTik"}};

constexpr Param kPackage[] = {{"disabled", check_flag, "false"}};
constexpr VerbDef kPackageVerbs[] = {
    {"apply-changes", "7.18", true, "reboot"}, {"uninstall"}, {"unschedule"}};
class Package final : public Menu {
 public:
  Package()
      : Menu({.path = "/system/package",
              .params = kPackage,
              .verbs = kPackageVerbs,
              .fixed = true,
              .exported = false}) {}
  std::vector<Row> rows(const State& state) const override {
    const auto package = [&](std::string id, std::string name, bool disabled) {
      return Row{{".id", std::move(id)},
                 {"name", std::move(name)},
                 {"version", state.config.ros},
                 {"build-time", date_time(state.at_least("7.10"), 1'767'225'600)},
                 {"scheduled", ""},
                 {"disabled", disabled ? "true" : "false"}};
    };
    std::vector<Row> all = {package("*1", "routeros", false)};
    if (state.config.container_package != "absent")
      all.push_back(package("*2", "container", state.config.container_package == "disabled"));
    return all;
  }

 protected:
  Outcome own_verb(State&, const User&, const Request&) override { return {}; }
};

constexpr VerbDef kDeviceModeVerbs[] = {{"update", "", true, "policy"}};
class DeviceMode final : public Computed {
 public:
  DeviceMode()
      : Computed({.path = "/system/device-mode",
                  .kind = MenuDef::Kind::settings,
                  .verbs = kDeviceModeVerbs,
                  .exported = false}) {}
  std::vector<Row> rows(const State& state) const override {
    Row row{{"mode", state.at_least("7.17") ? "advanced" : "enterprise"},
            {"flagged", state.config.flagged ? "true" : "false"},
            {"flagging-enabled", "true"},
            {"attempt-count", "0"}};
    for (const std::string_view key : {"container", "fetch", "scheduler", "socks", "email", "pptp", "l2tp",
                                       "smb", "sniffer", "zerotier", "bandwidth-test", "traffic-gen"}) {
      row.put(key, state.device_mode(key) ? "true" : "false");
    }
    return {row};
  }

 protected:
  // A router waits for its button here. Nobody presses it.
  Outcome own_verb(State& state, const User&, const Request&) override {
    state.log.add("system,error", "device-mode update was asked for by a program");
    return Outcome::trap("update canceled", 2);
  }
};

class Health final : public Menu {
 public:
  Health() : Menu({.path = "/system/health", .fixed = true, .exported = false}) {}
  std::vector<Row> rows(const State& state) const override {
    if (state.config.arch == "x86_64") return {};
    return {{{".id", "*D"}, {"name", "cpu-temperature"}, {"value", "47"}, {"type", "C"}},
            {{".id", "*E"}, {"name", "voltage"}, {"value", "24.1"}, {"type", "V"}},
            {{".id", "*F"}, {"name", "board-temperature1"}, {"value", "n/a"}, {"type", "C"}}};
  }
};

class Routerboard final : public Computed {
 public:
  Routerboard()
      : Computed({.path = "/system/routerboard", .kind = MenuDef::Kind::settings, .exported = false}) {}
  std::vector<Row> rows(const State& state) const override {
    if (state.config.arch == "x86_64") return {{{"routerboard", "false"}}};
    return {{{"routerboard", "true"},
             {"model", board(state)},
             {"serial-number", "SIM0000001"},
             {"firmware-type", state.config.arch},
             {"factory-firmware", "7.4"},
             {"current-firmware", state.config.ros},
             {"upgrade-firmware", state.config.ros}}};
  }
};

constexpr Param kClock[] = {{"time-zone-name", nullptr, "UTC"}, {"time-zone-autodetect", check_flag, "true"}};
class ClockMenu final : public Menu {
 public:
  ClockMenu() : Menu({.path = "/system/clock", .kind = MenuDef::Kind::settings, .params = kClock}) {}
  std::vector<Row> rows(const State& state) const override {
    std::vector<Row> all = Menu::rows(state);
    const std::string now = date_time(state.at_least("7.10"), wall_seconds());
    all.front().put("date", now.substr(0, now.find(' ')));
    all.front().put("time", now.substr(now.find(' ') + 1));
    all.front().put("gmt-offset", "+00:00");
    all.front().put("dst-active", "false");
    return all;
  }
};

class License final : public Computed {
 public:
  License() : Computed({.path = "/system/license", .kind = MenuDef::Kind::settings, .exported = false}) {}
  std::vector<Row> rows(const State& state) const override {
    if (state.config.arch == "x86_64") return {{{"system-id", "SIMULATED00"}, {"level", "free"}}};
    return {{{"software-id", "SIM0-SIM0"}, {"nlevel", "5"}, {"features", ""}}};
  }
};

}  // namespace

std::unique_ptr<Menu> make_system() {
  return std::make_unique<System>();
}
std::unique_ptr<Menu> make_resource() {
  return std::make_unique<Resource>();
}
std::unique_ptr<Menu> make_cores() {
  return std::make_unique<Cores>();
}
std::unique_ptr<Menu> make_identity() {
  return std::make_unique<Menu>(
      MenuDef{.path = "/system/identity", .kind = MenuDef::Kind::settings, .params = kIdentity});
}
std::unique_ptr<Menu> make_package() {
  return std::make_unique<Package>();
}
std::unique_ptr<Menu> make_device_mode() {
  return std::make_unique<DeviceMode>();
}
std::unique_ptr<Menu> make_health() {
  return std::make_unique<Health>();
}
std::unique_ptr<Menu> make_routerboard() {
  return std::make_unique<Routerboard>();
}
std::unique_ptr<Menu> make_clock() {
  return std::make_unique<ClockMenu>();
}
std::unique_ptr<Menu> make_license() {
  return std::make_unique<License>();
}

}  // namespace mikroscope::routersim
