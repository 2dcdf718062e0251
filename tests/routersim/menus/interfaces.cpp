// /interface and its kinds. All kinds are rows of one table with a hidden "type", so ids and names are
// shared.
#include <fmt/format.h>

#include "tests/routersim/container/engine.h"
#include "tests/routersim/menus/interface_stats.h"
#include "tests/routersim/menus/menus.h"

namespace mikroscope::routersim {
namespace {

constexpr Param kAny[] = {
    {"name"}, {"mtu", check_number, "1500"}, {"comment"}, {"disabled", check_flag, "false"}};
constexpr Param kEthernet[] = {{"name"},         {"mtu", check_number, "1500"},
                               {"mac-address"},  {"auto-negotiation", check_flag, "true"},
                               {"default-name"}, {"orig-mac-address"},
                               {"comment"},      {"disabled", check_flag, "false"}};
constexpr VerbDef kInterfaceVerbs[] = {{"monitor-traffic", "", false}};
constexpr Param kBridge[] = {{"name", nullptr, {}, {}, {}, {}, true},
                             {"mtu", nullptr, "auto"},
                             {"admin-mac"},
                             {"auto-mac", check_flag, "true"},
                             {"protocol-mode", nullptr, "rstp"},
                             {"vlan-filtering", check_flag, "false"},
                             {"comment"},
                             {"disabled", check_flag, "false"}};
constexpr Param kVeth[] = {
    {"name", nullptr, {}, {}, {}, {}, true},
    {"address"},
    {"gateway", check_ip},
    {"gateway6", check_address6, {}, "7.11"},
    {"dhcp", check_flag, "false", "7.20"},
    {"mac-address", nullptr, {}, "7.20"},
    {"container-mac-address", nullptr, {}, "7.21"},
    {"comment"},
    {"disabled", check_flag, "false"},
};
// Of a veth, and shown only by /interface/veth.
constexpr std::string_view kVethOnly[] = {"address", "gateway", "gateway6", "dhcp", "container-mac-address"};

bool odd(const State& state) {
  return state.faults.odd_values;
}

// What people's tools have written into comments.
void make_odd(std::vector<Row>& rows) {
  const std::string kOdd[] = {"caf\xE9 \xF0\x9F\x98\x80", "=a=b", "two\nlines\x1b[31m", std::string(300, 'x'),
                              std::string(20'000, 'y')};
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i].put("comment", kOdd[i % 5]);
}

class Interfaces : public Menu {
 public:
  Interfaces(MenuDef def, std::string type) : Menu(std::move(def)), type_(std::move(type)) {}
  bool present(const State& state) const override {
    return Menu::present(state) && (type_ != "veth" || state.has_containers());
  }
  // Rows with their place among all interfaces, which makes their numbers differ.
  std::vector<Row> numbered(const State& state) const {
    std::vector<Row> chosen;
    std::int64_t number = 0;
    for (Row row : Menu::rows(state)) {
      ++number;
      row.put(".place", std::to_string(number));
      if (!type_.empty() && row.text("type") != type_) continue;
      const bool running = state.running(row.text("name"));
      row.put("running", running ? "true" : "false");
      if (!row.has("dynamic")) row.put("dynamic", "false");
      if (type_.empty()) {
        for (const std::string_view name : kVethOnly) row.erase(name);
        row.put("actual-mtu", row.text("mtu") == "auto" ? "1500" : row.text("mtu"));
        put_counters(state, number, row);
      } else {
        row.erase("type");
      }
      chosen.push_back(std::move(row));
    }
    if (odd(state)) make_odd(chosen);
    return chosen;
  }
  std::vector<Row> rows(const State& state) const override {
    std::vector<Row> all = numbered(state);
    for (Row& row : all) row.erase(".place");
    return all;
  }
  std::vector<Row> printed(const State& state, const Request& request) const override {
    std::vector<Row> all = numbered(state);
    for (Row& row : all) {
      if (type_ == "ether" && request.attributes.has("stats"))
        put_port_counters(state, std::stoll(row.text(".place")), row);
      row.erase(".place");
    }
    return all;
  }

 protected:
  const Table& table(const State& state) const override { return state.table("/interface"); }
  Table& table(State& state) const override { return state.table("/interface"); }

  bool owns(const Row& row) const override { return type_.empty() || row.text("type") == type_; }
  std::optional<Trap> before_add(State& state, Row& row, const Request&) override {
    row.put("type", type_);
    if (type_ != "veth") return std::nullopt;
    std::string address = row.text("address");
    // Several addresses, and IPv6 ones, may be given; each has a length.
    for (std::size_t at = 0; at < address.size();) {
      const std::size_t comma = std::min(address.find(',', at), address.size());
      std::string one = address.substr(at, comma - at);
      const bool v6 = one.find(':') != std::string::npos;
      if (one.find('/') == std::string::npos ||
          (v6 ? check_address6(state, "address", one) : check_prefix(state, "address", one)))
        return Trap{"invalid value for argument address", 1};
      at = comma + 1;
    }
    if (!row.has("mac-address")) {
      const auto number = state.table("/interface").next;
      row.put("mac-address", fmt::format("02:00:5E:10:{:02X}:{:02X}", number >> 8 & 255, number & 255));
    }
    return std::nullopt;
  }
  std::optional<Trap> before_set(State& state, const Row& old, Row& row) override {
    if (old.text("name") == row.text("name")) return std::nullopt;
    rename(state, old.text("name"), row.text("name"));
    return std::nullopt;
  }
  std::optional<Trap> before_remove(State& state, const Row& row) override {
    if (state.table("/container").by("interface", row.text("name")) != nullptr)
      return Trap{"failure: interface is in use by a container"};
    return std::nullopt;
  }
  // Whoever named it shows its id from now on, as rows of a router do.
  void after_remove(State& state, const Row& row) override {
    rename(state, row.text("name"), row.text(".id"));
  }

  Outcome own_verb(State& state, const User&, const Request& request) override {
    return monitor_traffic(state, request);
  }

 private:
  static void rename(State& state, const std::string& from, const std::string& to) {
    for (const std::string_view path :
         {"/ip/address", "/ipv6/address", "/interface/list/member", "/interface/bridge/port"}) {
      for (Row& other : state.table(path).rows) {
        if (other.text("interface") == from) other.put("interface", to);
      }
    }
  }

  std::string type_;
};

constexpr Param kPort[] = {{"bridge", check_interface, {}, {}, {}, {}, true},
                           {"interface", check_interface, {}, {}, {}, {}, true},
                           {"pvid", check_number, "1"},
                           {"hw", check_flag, "true"},
                           {"horizon", nullptr, "none"},
                           {"priority"},
                           {"path-cost"},
                           {"edge"},
                           {"comment"},
                           {"disabled", check_flag, "false"}};

constexpr Param kList[] = {{"name", nullptr, {}, {}, {}, {}, true}, {"include"}, {"exclude"}, {"comment"}};

class Lists final : public Menu {
 public:
  Lists()
      : Menu({.path = "/interface/list",
              .params = kList,
              .already = "failure: already have interface list with such name",
              .unique = {"name"}}) {}

 protected:
  // A rule that names it goes on with the internal id, which matches as an empty list.
  void after_remove(State& state, const Row& row) override {
    const std::string id = fmt::format("*20000{:02X}", std::stoul(row.text(".id").substr(1), nullptr, 16));
    for (auto& [path, table] : state.tables) {
      for (Row& other : table.rows) {
        for (const std::string_view name : {"in-interface-list", "out-interface-list"}) {
          if (other.text(name) == row.text("name")) other.put(name, id);
          if (other.text(name) == "!" + row.text("name")) other.put(name, "!" + id);
        }
      }
    }
    Table& members = state.table("/interface/list/member");
    std::erase_if(members.rows, [&](const Row& member) { return member.text("list") == row.text("name"); });
  }
};

constexpr Param kMember[] = {{"list", check_list, {}, {}, {}, {}, true},
                             {"interface", check_interface, {}, {}, {}, {}, true},
                             {"comment"},
                             {"disabled", check_flag, "false"}};

class Members final : public Menu {
 public:
  Members()
      : Menu({.path = "/interface/list/member",
              .params = kMember,
              .already = "failure: already have such entry",
              .unique = {"list", "interface"}}) {}
  std::vector<Row> rows(const State& state) const override {
    std::vector<Row> all = Menu::rows(state);
    for (Row& row : all) {
      if (!row.has("dynamic")) row.put("dynamic", "false");
    }
    return all;
  }

 protected:
  std::optional<Trap> before_add(State& state, Row& row, const Request&) override {
    return builtin(state, row);
  }
  std::optional<Trap> before_set(State& state, const Row&, Row& row) override { return builtin(state, row); }

 private:
  static std::optional<Trap> builtin(const State& state, const Row& row) {
    const Row* list = state.table("/interface/list").by("name", row.text("list"));
    if (list != nullptr && list->flag("builtin")) return Trap{"failure: cannot add to builtin list"};
    return std::nullopt;
  }
};

constexpr std::string_view kSameName = "failure: already have interface with such name";

}  // namespace

std::unique_ptr<Menu> make_interface() {
  return std::make_unique<Interfaces>(
      MenuDef{
          .path = "/interface", .params = kAny, .verbs = kInterfaceVerbs, .fixed = true, .exported = false},
      "");
}
std::unique_ptr<Menu> make_ethernet() {
  return std::make_unique<Interfaces>(
      MenuDef{.path = "/interface/ethernet", .params = kEthernet, .fixed = true, .exported = false}, "ether");
}
std::unique_ptr<Menu> make_veth() {
  return std::make_unique<Interfaces>(MenuDef{.path = "/interface/veth",
                                              .params = kVeth,
                                              .since = "7.4",
                                              .already = kSameName,
                                              .unique = {"name"}},
                                      "veth");
}
std::unique_ptr<Menu> make_bridge() {
  return std::make_unique<Interfaces>(
      MenuDef{.path = "/interface/bridge", .params = kBridge, .already = kSameName, .unique = {"name"}},
      "bridge");
}
std::unique_ptr<Menu> make_bridge_port() {
  return std::make_unique<Menu>(MenuDef{.path = "/interface/bridge/port",
                                        .params = kPort,
                                        .already = "failure: device already added as bridge port",
                                        .unique = {"interface"}});
}
std::unique_ptr<Menu> make_interface_list() {
  return std::make_unique<Lists>();
}
std::unique_ptr<Menu> make_list_member() {
  return std::make_unique<Members>();
}

}  // namespace mikroscope::routersim
