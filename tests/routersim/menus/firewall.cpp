// The firewall's tables and address lists.
#include <fmt/format.h>

#include "tests/routersim/dates.h"
#include "tests/routersim/menus/menus.h"

namespace mikroscope::routersim {
namespace {

std::optional<Trap> check_action(const State&, std::string_view name, std::string& value) {
  constexpr std::string_view kActions[] = {"accept",
                                           "drop",
                                           "reject",
                                           "tarpit",
                                           "jump",
                                           "return",
                                           "log",
                                           "passthrough",
                                           "fasttrack-connection",
                                           "add-src-to-address-list",
                                           "add-dst-to-address-list",
                                           "masquerade",
                                           "src-nat",
                                           "dst-nat",
                                           "netmap",
                                           "redirect",
                                           "same",
                                           "endpoint-independent-nat",
                                           "notrack",
                                           "mark-connection",
                                           "mark-packet",
                                           "mark-routing",
                                           "change-mss",
                                           "change-ttl",
                                           "change-dscp",
                                           "clear-df",
                                           "route",
                                           "set-priority",
                                           "sniff-tzsp",
                                           "snat",
                                           "dnat"};
  if (std::find(std::begin(kActions), std::end(kActions), value) == std::end(kActions))
    return bad_value(name);
  return std::nullopt;
}

// The matchers and actions of every table; what a table does not know it is seldom asked.
#define MIKROSCOPE_RULE(ADDRESS)                                                                             \
  {"chain", nullptr, {}, {}, {}, {}, true}, {"action", check_action, "accept"}, {"address-list"},            \
      {"address-list-timeout"}, {"comment"}, {"disabled", check_flag, "false"},                              \
      {"log", check_flag, "false"}, {"log-prefix"}, {"connection-bytes"}, {"connection-limit"},              \
      {"connection-mark"}, {"connection-nat-state"}, {"connection-rate"}, {"connection-state"},              \
      {"connection-type"}, {"content"}, {"dscp"}, {"dst-address", ADDRESS}, {"dst-address-list"},            \
      {"dst-address-type"}, {"dst-limit"}, {"dst-port"}, {"fragment"}, {"hotspot"}, {"hw-offload"},          \
      {"icmp-options"}, {"in-bridge-port"}, {"in-bridge-port-list"},                                         \
      {"in-interface", check_interface_matcher}, {"in-interface-list", check_list_matcher},                  \
      {"ingress-priority"}, {"ipsec-policy"}, {"ipv4-options"}, {"jump-target"}, {"layer7-protocol"},        \
      {"limit"}, {"nth"}, {"out-bridge-port"}, {"out-bridge-port-list"},                                     \
      {"out-interface", check_interface_matcher}, {"out-interface-list", check_list_matcher},                \
      {"packet-mark"}, {"packet-size"}, {"per-connection-classifier"}, {"port"}, {"priority"}, {"protocol"}, \
      {"psd"}, {"random"}, {"reject-with"}, {"routing-mark"}, {"src-address", ADDRESS},                      \
      {"src-address-list"}, {"src-address-type"}, {"src-mac-address"}, {"src-port"}, {"tcp-flags"},          \
      {"tcp-mss"}, {"time"}, {"tls-host"}, {"ttl"}, {"to-addresses"}, {"to-ports"}, {"new-connection-mark"}, \
      {"new-packet-mark"}, {"new-routing-mark"}, {"new-mss"}, {"passthrough"}, {"headers"}, {                \
    "hop-limit"                                                                                              \
  }

constexpr Param kRule[] = {MIKROSCOPE_RULE(check_matcher_address)};
constexpr Param kRule6[] = {MIKROSCOPE_RULE(nullptr)};
#undef MIKROSCOPE_RULE

constexpr VerbDef kRuleVerbs[] = {{"reset-counters"}, {"reset-counters-all"}};

class Rules final : public Menu {
 public:
  Rules(std::string_view path, bool v6)
      : Menu({.path = path,
              .params = v6 ? std::span<const Param>(kRule6) : kRule,
              .verbs = kRuleVerbs,
              .ordered = true}) {}
  std::vector<Row> rows(const State& state) const override {
    std::vector<Row> all = Menu::rows(state);
    std::int64_t place = 0;
    for (Row& row : all) {
      ++place;
      const std::string missing = absent_interface(state, row);
      const bool settling = row.has(".added") && state.now() - std::stoll(row.text(".added")) <
                                                     state.config.timing.dynamic_invalid;
      row.erase(".added");
      row.put("invalid", !missing.empty() || settling ? "true" : "false");
      if (!missing.empty()) row.put(".about", missing + " not ready");
      if (!row.has("dynamic")) row.put("dynamic", "false");
      // Busier towards the end; they start over with the router.
      const std::int64_t packets = place * ((state.now() - state.booted_ms) / 100);
      row.put("bytes", std::to_string(packets * 700));
      row.put("packets", std::to_string(packets));
    }
    return all;
  }

 protected:
  std::optional<Trap> before_add(State&, Row& row, const Request&) override {
    if (row.text("action") == "jump" && !row.has("jump-target"))
      return Trap{"failure: jump-target not specified"};
    for (const std::string_view name : {"src-port", "dst-port", "port"}) {
      if (row.has(name) && !has_ports(row.text("protocol")))
        return Trap{"failure: ports can be specified if proto is tcp,udp,udp-lite,dccp,sctp"};
    }
    if (row.text("action") == "fasttrack-connection" && row.text("chain") == "output")
      return Trap{"failure: fasttrack not possible in output"};
    return std::nullopt;
  }
  void after_add(State& state, Row& row) override {
    if (state.config.timing.dynamic_invalid > 0) row.put(".added", std::to_string(state.now()));
  }
  Outcome own_verb(State&, const User&, const Request&) override { return {}; }

 private:
  static bool has_ports(const std::string& protocol) {
    return protocol == "tcp" || protocol == "udp" || protocol == "6" || protocol == "17" ||
           protocol == "sctp";
  }
  static std::string absent_interface(const State& state, const Row& row) {
    for (const std::string_view name : {"in-interface", "out-interface"}) {
      std::string value = row.text(name);
      if (value.rfind('!', 0) == 0) value.erase(0, 1);
      if (!value.empty() && value.rfind("all-", 0) != 0 && state.interface(value) == nullptr) return value;
    }
    return "";
  }
};

constexpr Param kEntry[] = {{"list", nullptr, {}, {}, {}, {}, true},
                            {"address", nullptr, {}, {}, {}, {}, true},
                            {"timeout", check_time},
                            {"dynamic", check_flag, {}, {}, {}, {}, false, true},
                            {"comment"},
                            {"disabled", check_flag, "false"}};

class AddressList final : public Menu {
 public:
  explicit AddressList(std::string_view path)
      : Menu({.path = path, .params = kEntry, .unique = {"list", "address"}}) {}
  std::vector<Row> rows(const State& state) const override {
    std::vector<Row> all = Menu::rows(state);
    for (Row& row : all) {
      if (!row.has("dynamic")) row.put("dynamic", "false");
    }
    return all;
  }

 protected:
  std::optional<Trap> before_add(State& state, Row& row, const Request&) override {
    const std::string address = row.text("address");
    const std::size_t slash = address.find('/');
    if (slash != std::string::npos && address.find(':') == std::string::npos) {
      const auto prefix = parse_prefix(address);
      if (!prefix) return Trap{"failure: " + address + " is not a valid dns name"};
      row.put("address", prefix->length == 32
                             ? print_ip(prefix->ip)
                             : fmt::format("{}/{}", print_ip(prefix->network()), prefix->length));
    }
    row.put("creation-time", date_time(state.at_least("7.10"), wall_seconds()));
    return std::nullopt;
  }
};

}  // namespace

std::unique_ptr<Menu> make_filter() {
  return std::make_unique<Rules>("/ip/firewall/filter", false);
}
std::unique_ptr<Menu> make_nat() {
  return std::make_unique<Rules>("/ip/firewall/nat", false);
}
std::unique_ptr<Menu> make_raw() {
  return std::make_unique<Rules>("/ip/firewall/raw", false);
}
std::unique_ptr<Menu> make_mangle() {
  return std::make_unique<Rules>("/ip/firewall/mangle", false);
}
std::unique_ptr<Menu> make_filter6() {
  return std::make_unique<Rules>("/ipv6/firewall/filter", true);
}
std::unique_ptr<Menu> make_raw6() {
  return std::make_unique<Rules>("/ipv6/firewall/raw", true);
}
std::unique_ptr<Menu> make_address_list() {
  return std::make_unique<AddressList>("/ip/firewall/address-list");
}
std::unique_ptr<Menu> make_address_list6() {
  return std::make_unique<AddressList>("/ipv6/firewall/address-list");
}

}  // namespace mikroscope::routersim
