#include "tests/routersim/nftables.h"

#include <fmt/format.h>

#include <optional>
#include <set>

#include "tests/routersim/menu.h"
#include "tests/routersim/state.h"

namespace mikroscope::routersim {
namespace {

struct Hook {
  std::string_view menu;
  std::string_view table;  // prefix of its chains
  std::string_view chain;  // of RouterOS
  std::string_view hook;
  std::string_view type;
  int priority;
};
constexpr Hook kHooks[] = {
    {"/ip/firewall/raw", "raw", "prerouting", "prerouting", "filter", -300},
    {"/ip/firewall/raw", "raw", "output", "output", "filter", -300},
    {"/ip/firewall/nat", "nat", "dstnat", "prerouting", "nat", -100},
    {"/ip/firewall/nat", "nat", "srcnat", "postrouting", "nat", 100},
    {"/ip/firewall/filter", "filter", "input", "input", "filter", 0},
    {"/ip/firewall/filter", "filter", "forward", "forward", "filter", 0},
    {"/ip/firewall/filter", "filter", "output", "output", "filter", 0},
};

// What says nothing about packets.
constexpr std::string_view kNoMatcher[] = {
    ".id",          ".about",      "action",       "chain",
    "comment",      "bytes",       "packets",      "dynamic",
    "invalid",      "disabled",    "log",          "log-prefix",
    "jump-target",  "reject-with", "address-list", "address-list-timeout",
    "to-addresses", "to-ports",    "hw-offload",   "passthrough"};

std::string chain_name(std::string_view table, std::string chain) {
  for (char& c : chain) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (!plain) c = '_';
  }
  return fmt::format("{}_{}", table, chain);
}

// A matcher; nothing when it cannot be said. An empty text always matches; "never" never does.
class Matcher {
 public:
  Matcher(const State& state, const Row& row) : state_(state), row_(row) {}

  std::optional<std::string> text(const std::string& name, std::string value) const {
    const bool negated = value.rfind('!', 0) == 0;
    if (negated) value.erase(0, 1);
    const std::string_view is = negated ? "!= " : "";
    if (name == "protocol") return fmt::format("ip protocol {}{}", is, value);
    if (name == "src-address") return fmt::format("ip saddr {}{}", is, value);
    if (name == "dst-address") return fmt::format("ip daddr {}{}", is, value);
    if (name == "in-interface") return fmt::format("iifname {}\"{}\"", is, value);
    if (name == "out-interface") return fmt::format("oifname {}\"{}\"", is, value);
    if (name == "in-interface-list") return members("iifname", value, negated);
    if (name == "out-interface-list") return members("oifname", value, negated);
    if (name == "src-address-list") return entries("ip saddr", value, negated);
    if (name == "dst-address-list") return entries("ip daddr", value, negated);
    if (name == "src-port") return ports("sport", value, negated);
    if (name == "dst-port") return ports("dport", value, negated);
    if (name == "connection-state") return fmt::format("ct state {}{{ {} }}", is, value);
    if (name == "connection-nat-state" && value == "dstnat")
      return negated ? "ct status & dnat == 0" : "ct status dnat";
    if (name == "src-address-type") return fmt::format("fib saddr type {}{}", is, value);
    if (name == "dst-address-type") return fmt::format("fib daddr type {}{}", is, value);
    // There is no IPsec here.
    if (name == "ipsec-policy") return (value.find(",none") != std::string::npos) != negated ? "" : "never";
    return std::nullopt;
  }

 private:
  static std::string set_of(std::string_view field, const std::string& items, bool negated) {
    if (items.empty()) return negated ? "" : "never";
    return fmt::format("{} {}{{ {} }}", field, negated ? "!= " : "", items);
  }
  std::string members(std::string_view field, const std::string& list, bool negated) const {
    if (list == "all") return negated ? "never" : "";
    std::string items;
    std::set<std::string> seen;
    collect(list, items, seen);
    return set_of(field, items, negated);
  }
  void collect(const std::string& list, std::string& items, std::set<std::string>& seen) const {
    if (!seen.insert("list " + list).second) return;
    for (const Row& member : state_.table("/interface/list/member").rows) {
      if (member.text("list") != list || member.flag("disabled") ||
          !seen.insert(member.text("interface")).second)
        continue;
      items += fmt::format("{}\"{}\"", items.empty() ? "" : ", ", member.text("interface"));
    }
    const Row* row = state_.table("/interface/list").by("name", list);
    const std::string includes = row == nullptr ? "" : row->text("include");
    for (std::size_t at = 0; at < includes.size();) {
      const std::size_t comma = std::min(includes.find(',', at), includes.size());
      collect(includes.substr(at, comma - at), items, seen);
      at = comma + 1;
    }
  }
  std::string entries(std::string_view field, const std::string& list, bool negated) const {
    bool any = false;
    for (const Row& entry : state_.table("/ip/firewall/address-list").rows)
      any = any || entry.text("list") == list;
    if (!any) return negated ? "" : "never";
    return fmt::format("{} {}@{}", field, negated ? "!= " : "", chain_name("list", list));
  }
  std::string ports(std::string_view field, const std::string& value, bool negated) const {
    return fmt::format("{} {} {}{{ {} }}", row_.text("protocol") == "udp" ? "udp" : "tcp", field,
                       negated ? "!= " : "", value);
  }

  const State& state_;
  const Row& row_;
};

std::optional<std::string> verdict(std::string_view table, const Row& row) {
  const std::string action = row.has("action") ? row.text("action") : "accept";
  if (action == "accept" || action == "drop" || action == "return" || action == "reject" ||
      action == "masquerade" || action == "notrack")
    return action;
  if (action == "tarpit") return "drop";
  if (action == "jump") return "jump " + chain_name(table, row.text("jump-target"));
  if (action == "dst-nat") {
    const std::string port = row.text("to-ports");
    return fmt::format("dnat to {}{}{}", row.text("to-addresses"), port.empty() ? "" : ":", port);
  }
  if (action == "fasttrack-connection" || action == "passthrough" || action == "log") return "";
  return std::nullopt;
}

std::string rule(const State& state, std::string_view table, const Row& row) {
  const std::string unknown = fmt::format("    # {}: not simulated\n", row.text(".id"));
  const auto does = verdict(table, row);
  if (!does) return unknown;
  const Matcher matcher(state, row);
  std::string text;
  for (const auto& [name, value] : row) {
    if (std::find(std::begin(kNoMatcher), std::end(kNoMatcher), name) != std::end(kNoMatcher) ||
        value.empty())
      continue;
    const auto part = matcher.text(name, value);
    if (!part) return unknown;
    if (*part == "never") return fmt::format("    # {}: never matches here\n", row.text(".id"));
    // The port matchers say the protocol already.
    const bool said = name == "protocol" && (row.has("src-port") || row.has("dst-port"));
    if (!part->empty() && !said) text += *part + " ";
  }
  return fmt::format("    {}counter {}\n", text, *does);
}

}  // namespace

std::string nft_script(const State& state) {
  std::string text = "flush ruleset\ntable ip routersim {\n";
  std::set<std::string> lists;
  for (const Row& entry : state.table("/ip/firewall/address-list").rows) lists.insert(entry.text("list"));
  for (const std::string& list : lists) {
    std::string items;
    for (const Row& entry : state.table("/ip/firewall/address-list").rows) {
      if (entry.text("list") != list || entry.flag("disabled") || !parse_prefix(entry.text("address")))
        continue;
      items += fmt::format("{}{}", items.empty() ? "" : ", ", entry.text("address"));
    }
    text += fmt::format("  set {} {{ type ipv4_addr; flags interval; auto-merge;{} }}\n",
                        chain_name("list", list), items.empty() ? "" : " elements = { " + items + " };");
  }
  std::string bodies;
  std::set<std::string> declared;
  for (const std::string_view path : {"/ip/firewall/raw", "/ip/firewall/nat", "/ip/firewall/filter"}) {
    const std::string table(path.substr(path.rfind('/') + 1));
    std::vector<Row> rows = state.menus->find(path)->rows(state);
    std::set<std::string> chains;
    for (const Row& row : rows) {
      chains.insert(row.text("chain"));
      if (row.has("jump-target")) chains.insert(row.text("jump-target"));
    }
    for (const Hook& hook : kHooks) {
      if (hook.menu == path) chains.insert(std::string(hook.chain));
    }
    for (const std::string& chain : chains) {
      bool hooked = false;
      bodies += fmt::format("  chain {} {{\n", chain_name(table, chain));
      for (const Hook& hook : kHooks) {
        if (hook.menu != path || hook.chain != chain) continue;
        hooked = true;
        bodies += fmt::format("    type {} hook {} priority {}; policy accept;\n", hook.type, hook.hook,
                              hook.priority);
      }
      if (!hooked) declared.insert(chain_name(table, chain));
      for (const Row& row : rows) {
        if (row.text("chain") == chain && !row.flag("disabled") && !row.flag("invalid"))
          bodies += rule(state, table, row);
      }
      bodies += "  }\n";
    }
  }
  // Declared first: a jump may go to one that comes later.
  for (const std::string& chain : declared) text += fmt::format("  chain {} {{ }}\n", chain);
  return text + "}\ntable ip routersim {\n" + bodies + "}\n";
}

}  // namespace mikroscope::routersim
