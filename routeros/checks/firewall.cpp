#include <fmt/format.h>

#include <algorithm>

#include "routeros/checks/firewall_paths.h"
#include "routeros/checks/support.h"
#include "routeros/deploy/firewall_uplink.h"
#include "routeros/session/text.h"

namespace mikroscope::routeros {
namespace {

std::string drops_text(const Verdict& verdict) {
  std::vector<std::string> sure;
  std::vector<std::string> possible;
  for (const DroppingRule& drop : verdict.drops) (drop.surely ? sure : possible).push_back(rule_text(drop));
  std::vector<std::string>& named = sure.empty() ? possible : sure;
  const std::size_t all = named.size();
  named.resize(std::min<std::size_t>(all, 2));
  return enumerate(named) + (all > 2 ? fmt::format(" and {} more", all - 2) : "");
}

std::string flags_for(const Membership& from, const Membership& to) {
  std::string out;
  if (to.interface_list != from.interface_list) out += fmt::format(" --iface-list {}", to.interface_list);
  if (to.address_list != from.address_list) out += fmt::format(" --addr-list {}", to.address_list);
  return out.empty() ? out : out.substr(1);
}

std::string commands_text(const std::vector<std::string>& commands) {
  std::string out;
  for (const std::string& command : commands)
    out += fmt::format("{}`{}`", out.empty() ? "" : ", then ", command);
  return out;
}

// What lets the agent's packets through with the least change.
std::string remedy(const Facts& facts, const Options& options) {
  const Membership asked{options.interface_list, options.address_list};
  if (const std::optional<Membership> other = find_membership(facts, options)) {
    const std::string flags = flags_for(asked, *other);
    if (!flags.empty()) return flags;
  }
  const std::string commands = commands_text(accept_commands(facts, options));
  if (!commands.empty()) return commands;
  return fmt::format("let packets from {} with TCP source port {} through, in front of that rule",
                     options.address(), options.port);
}

Finding run(const Facts& facts, const Options& options) {
  if (std::optional<Finding> hidden =
          unreadable(facts, {"/ip/firewall/raw", "/ip/firewall/filter", "/interface/list/member",
                             "/interface/list", "/ip/firewall/address-list"})) {
    return *hidden;
  }
  const Membership asked{options.interface_list, options.address_list};
  const AgentPaths paths = agent_paths(facts, options, asked);
  if (paths.reply.dropped()) {
    return missing(fmt::format("the agent's answers are dropped by {}", drops_text(paths.reply)),
                   remedy(facts, options));
  }
  if (paths.reply.may_drop) {
    return warn(fmt::format("the agent's answers may be dropped by {}", drops_text(paths.reply)),
                remedy(facts, options));
  }
  if (paths.relay.may_drop) {
    return warn(fmt::format("they pass, but answers to the router itself {} dropped by {}",
                            paths.relay.dropped() ? "are" : "may be", drops_text(paths.relay)),
                "matters only for reading through the router: " + remedy(facts, options));
  }
  if (paths.request && paths.request->may_drop) {
    const std::string here = interface_towards(facts, *parse_ip(facts.local_address));
    return warn(
        fmt::format("answers pass, but requests from here ({} on {}) {} dropped by {}",
                    printable(facts.local_address), printable(here),
                    paths.request->dropped() ? "are" : "may be", drops_text(*paths.request)),
        fmt::format("read it from the LAN or through the router, or `{}/add chain={} src-address={} "
                    "dst-address={} protocol=tcp dst-port={} action=accept place-before={} "
                    "comment=\"requests to mikroscope\"`",
                    paths.request->drops.front().menu,
                    quoted(paths.request->drops.front().rule->text("chain")), printable(facts.local_address),
                    options.address(), options.port, paths.request->drops.front().rule->id()));
  }
  const bool needed =
      asked != Membership{"none", "none"} && !agent_paths(facts, options, {"none", "none"}).all_pass();
  return ok(needed                                ? "its answers pass"
            : asked == Membership{"none", "none"} ? "its answers pass without any list"
                                                  : "its answers pass, and would without any list");
}

Finding run6(const Facts& facts, const Options& options) {
  if (facts.assumed) return skip("not read: no router was asked");
  const std::optional<Ip> agent = agent_address6(facts, options);
  if (!agent) return skip("the agent has no IPv6 address");
  if (std::optional<Finding> hidden = unreadable(facts, {"/ipv6/firewall/raw", "/ipv6/firewall/filter"}))
    return *hidden;
  const AgentPaths paths = agent_paths6(facts, options, *agent);
  for (const Verdict* verdict : {&paths.reply, &paths.relay}) {
    if (verdict->may_drop) {
      const DroppingRule& drop = verdict->drops.front();
      return warn(fmt::format("answers from {} {} dropped by {}", ip_text(*agent),
                              verdict->dropped() ? "are" : "may be", drops_text(*verdict)),
                  fmt::format("`{}/add chain={} src-address={}/128 protocol=tcp src-port={} action=accept "
                              "place-before={} comment=\"answers of mikroscope\"`",
                              drop.menu, quoted(drop.rule->text("chain")), ip_text(*agent), options.port,
                              drop.rule->id()));
    }
  }
  return ok(fmt::format("answers from {} pass", ip_text(*agent)));
}

}  // namespace

const Check kFirewallCheck{
    "firewall", "no rule drops the agent's packets",
    "/ip/firewall/raw, /ip/firewall/filter, /ip/firewall/address-list, /interface/list, "
    "/interface/list/member, /interface, /ip/route",
    "Walked like the router does: raw prerouting, then filter, through jumps, with the members of interface "
    "and "
    "address lists. Two rules of MikroTik's advanced firewall are silent traps: one drops what comes from an "
    "interface outside the LAN list, the other what comes from the LAN with a foreign address. Pings are "
    "answered "
    "and TCP vanishes.",
    run};
const Check kFirewall6Check{
    "firewall-ipv6", "no IPv6 rule drops the agent's packets",
    "/interface/veth, /ipv6/firewall/raw, /ipv6/firewall/filter, /ipv6/firewall/address-list",
    "Only where somebody has given the agent's interface an IPv6 address.", run6};

}  // namespace mikroscope::routeros
