// /ip/address, /ipv6/address, /ip/route, /ip/dns.
#include <fmt/format.h>

#include "tests/routersim/menus/menus.h"

namespace mikroscope::routersim {
namespace {

constexpr Param kAddress[] = {
    {"address", check_prefix, {}, {}, {}, {}, true},
    {"interface", check_interface, {}, {}, {}, {}, true},
    {"network", check_ip},
    {"netmask", nullptr, {}, {}, {}, {}, false, true},
    {"broadcast", nullptr, {}, {}, {}, {}, false, true},
    {"comment"},
    {"disabled", check_flag, "false"},
};

class Addresses final : public Menu {
 public:
  Addresses()
      : Menu({.path = "/ip/address",
              .params = kAddress,
              .already = "failure: already have such address",
              .unique = {"address", "interface"}}) {}
  std::vector<Row> rows(const State& state) const override {
    std::vector<Row> all = Menu::rows(state);
    for (Row& row : all) {
      const bool there = state.interface(row.text("interface")) != nullptr;
      if (there) row.put("actual-interface", row.text("interface"));
      row.put("invalid", there ? "false" : "true");
      if (!row.has("dynamic")) row.put("dynamic", "false");
    }
    return all;
  }

 protected:
  std::optional<Trap> before_add(State&, Row& row, const Request&) override {
    if (!row.has("network")) row.put("network", print_ip(parse_prefix(row.text("address"))->network()));
    return std::nullopt;
  }
  std::optional<Trap> before_set(State&, const Row& old, Row& row) override {
    if (old.text("address") != row.text("address"))
      row.put("network", print_ip(parse_prefix(row.text("address"))->network()));
    return std::nullopt;
  }
};

constexpr Param kAddress6[] = {
    {"address", check_address6, {}, {}, {}, {}, true},
    {"interface", check_interface, {}, {}, {}, {}, true},
    {"advertise", check_flag, "true"},
    {"from-pool"},
    {"eui-64", check_flag, "false"},
    {"no-dad", check_flag, "false"},
    {"comment"},
    {"disabled", check_flag, "false"},
};

constexpr Param kRoute[] = {
    {"dst-address", check_prefix, "0.0.0.0/0"},
    {"gateway"},
    {"distance", check_number, "1"},
    {"routing-table", nullptr, "main"},
    {"blackhole", check_flag},
    {"check-gateway"},
    {"pref-src", check_ip},
    {"scope", check_number, "30"},
    {"target-scope", check_number, "10"},
    {"suppress-hw-offload", check_flag, "false"},
    {"vrf-interface"},
    {"comment"},
    {"disabled", check_flag, "false"},
};

class Routes final : public Menu {
 public:
  Routes() : Menu({.path = "/ip/route", .params = kRoute}) {}
  // Configured ones, and one for each network that an interface is connected to.
  std::vector<Row> rows(const State& state) const override {
    std::vector<Row> all = Menu::rows(state);
    for (Row& row : all) {
      if (!row.has("immediate-gw")) row.put("immediate-gw", immediate(state, row.text("gateway")));
      const bool active =
          !row.flag("disabled") && (row.flag("blackhole") || !row.text("immediate-gw").empty());
      row.put("active", active ? "true" : "false");
      if (!row.has("dynamic")) {
        row.put("dynamic", "false");
        row.put("static", "true");
      }
    }
    for (const Row& address : state.table("/ip/address").rows) {
      const std::string interface = address.text("interface");
      if (address.flag("disabled") || !state.running(interface)) continue;
      const auto prefix = parse_prefix(address.text("address"));
      all.push_back({{".id", fmt::format("*8000{}", address.text(".id").substr(1))},
                     {"dst-address", fmt::format("{}/{}", print_ip(prefix->network()), prefix->length)},
                     {"gateway", interface},
                     {"immediate-gw", interface},
                     {"local-address", fmt::format("{}%{}", print_ip(prefix->ip), interface)},
                     {"distance", "0"},
                     {"routing-table", "main"},
                     {"scope", "10"},
                     {"active", "true"},
                     {"connect", "true"},
                     {"dynamic", "true"}});
    }
    return all;
  }

 protected:
  std::optional<Trap> before_add(State&, Row& row, const Request&) override {
    const auto prefix = parse_prefix(row.has("dst-address") ? row.text("dst-address") : "0.0.0.0/0");
    row.put("dst-address", fmt::format("{}/{}", print_ip(prefix->network()), prefix->length));
    if (!row.has("gateway") && !row.flag("blackhole")) return Trap{"failure: no gateway"};
    return std::nullopt;
  }

 private:
  // "192.0.2.1%ether1" for an address that is reached directly, the name for an interface; "" otherwise.
  static std::string immediate(const State& state, const std::string& gateway) {
    const auto ip = parse_ip(gateway.substr(0, gateway.find('%')));
    if (!ip) return state.running(gateway) ? gateway : "";
    for (const Row& address : state.table("/ip/address").rows) {
      const auto prefix = parse_prefix(address.text("address"));
      if (prefix && prefix->holds(*ip) && state.running(address.text("interface")))
        return fmt::format("{}%{}", print_ip(*ip), address.text("interface"));
    }
    return "";
  }
};

constexpr Param kDns[] = {
    {"servers"},
    {"use-doh-server"},
    {"verify-doh-cert", check_flag, "false"},
    {"allow-remote-requests", check_flag, "false"},
    {"cache-size", nullptr, "2048KiB"},
    {"cache-max-ttl", nullptr, "1w"},
    {"max-udp-packet-size", check_number, "4096"},
};

class Dns final : public Menu {
 public:
  Dns() : Menu({.path = "/ip/dns", .kind = MenuDef::Kind::settings, .params = kDns}) {}
  std::vector<Row> rows(const State& state) const override {
    std::vector<Row> all = Menu::rows(state);
    const Row* dynamic = state.table("/ip/dns").by("name", "dynamic");
    all.front().put("dynamic-servers", dynamic == nullptr ? "" : dynamic->text("servers"));
    return all;
  }
};

}  // namespace

std::unique_ptr<Menu> make_ip_address() {
  return std::make_unique<Addresses>();
}
std::unique_ptr<Menu> make_ip6_address() {
  return std::make_unique<Menu>(MenuDef{.path = "/ipv6/address",
                                        .params = kAddress6,
                                        .already = "failure: already have such address",
                                        .unique = {"address", "interface"}});
}
std::unique_ptr<Menu> make_route() {
  return std::make_unique<Routes>();
}
std::unique_ptr<Menu> make_dns() {
  return std::make_unique<Dns>();
}

}  // namespace mikroscope::routersim
