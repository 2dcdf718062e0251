#include "routeros/checks/firewall_paths.h"

#include <fmt/format.h>

#include <algorithm>

#include "routeros/checks/support.h"
#include "routeros/deploy/firewall_uplink.h"
#include "routeros/session/value.h"

namespace mikroscope::routeros {
namespace {

constexpr std::size_t kMostRules = 6;

std::vector<PlannedMember> planned(const std::string& list, std::string member) {
  if (list == "none") return {};
  return {{list, std::move(member)}};
}

// This machine as the router sees it, when that says anything about the router's networks.
std::optional<Ip> this_machine(const Facts& facts, bool v6) {
  const std::optional<Ip> ip = parse_ip(facts.local_address);
  if (!ip || ip->v6 != v6 || (!v6 && ip->bytes[0] == 127)) return std::nullopt;
  return ip;
}

Packet from_agent(const Options& options, const std::optional<Ip>& agent) {
  Packet packet;
  packet.in_interface = options.veth;
  packet.src = agent;
  packet.plain = true;
  packet.protocol = "tcp";
  packet.src_port = static_cast<std::uint16_t>(options.port);
  packet.states = {"established"};
  if (options.expose) packet.destination_nat = Truth::maybe;
  return packet;
}

void add_lists(const Facts& facts, std::string_view matcher, std::vector<std::string>& out) {
  for (const std::string_view menu : {"/ip/firewall/raw", "/ip/firewall/filter"}) {
    const std::vector<Row>* const rules = facts.rows(menu);
    if (rules == nullptr) continue;
    for (const Row& rule : *rules) {
      std::string_view list = rule.text(matcher);
      if (rule.flag("disabled") || list.empty()) continue;
      if (list.front() == '!') list.remove_prefix(1);
      if (list.starts_with('*') || std::find(out.begin(), out.end(), list) != out.end()) continue;
      out.emplace_back(list);
    }
  }
}

bool list_exists(const Facts& facts, const std::string& name) {
  const std::vector<Row>* const lists = facts.rows("/interface/list");
  return lists != nullptr && std::any_of(lists->begin(), lists->end(),
                                         [&name](const Row& row) { return row.text("name") == name; });
}

const DroppingRule* first_drop(const AgentPaths& paths) {
  for (const Verdict* verdict : {&paths.reply, &paths.relay}) {
    if (verdict->known && verdict->may_drop && !verdict->drops.empty()) return &verdict->drops.front();
  }
  return nullptr;
}

}  // namespace

AddressEntries our_entries(const Facts& facts, const Options& options) {
  return address_entries(facts, "/ip/firewall/address-list", options.tag());
}

bool AgentPaths::all_pass() const {
  return reply.passes() && relay.passes() && (!request || request->passes());
}

AgentPaths agent_paths(const Facts& facts, const Options& options, const Membership& membership) {
  return agent_paths(facts, options, membership, our_entries(facts, options));
}

AgentPaths agent_paths(const Facts& facts, const Options& options, const Membership& membership,
                       const AddressEntries& entries) {
  const InterfaceLists interfaces(facts, planned(membership.interface_list, options.veth), options.tag());
  const AddressLists addresses(entries, planned(membership.address_list, options.subnet));
  const std::optional<Ip> agent = parse_ip(options.address());
  const std::optional<Ip> machine = this_machine(facts, false);

  Packet reply = from_agent(options, agent);
  reply.dst = machine;
  if (machine) reply.out_interface = interface_towards(facts, *machine);

  Packet relay = from_agent(options, agent);
  relay.dst = parse_ip(options.gateway());
  relay.to_router = true;
  relay.destination_nat = Truth::no;

  AgentPaths out;
  out.reply = walk_firewall(facts, "forward", {reply, interfaces, addresses});
  out.relay = walk_firewall(facts, "input", {relay, interfaces, addresses});
  if (reply.out_interface.empty() || options.expose) return out;
  Packet request;
  request.in_interface = reply.out_interface;
  request.out_interface = options.veth;
  request.src = machine;
  request.dst = agent;
  request.protocol = "tcp";
  request.dst_port = static_cast<std::uint16_t>(options.port);
  request.states = {"new"};
  out.request = walk_firewall(facts, "forward", {request, interfaces, addresses});
  return out;
}

AgentPaths agent_paths6(const Facts& facts, const Options& options, const Ip& agent) {
  const InterfaceLists interfaces(facts, planned(options.interface_list, options.veth), options.tag());
  const AddressEntries entries = address_entries(facts, "/ipv6/firewall/address-list", options.tag());
  const AddressLists addresses(entries, {});
  Packet reply = from_agent(options, agent);
  reply.dst = this_machine(facts, true);
  Packet relay = from_agent(options, agent);
  relay.to_router = true;
  AgentPaths out;
  out.reply = walk_firewall(facts, "forward", {reply, interfaces, addresses});
  out.relay = walk_firewall(facts, "input", {relay, interfaces, addresses});
  return out;
}

std::optional<Ip> agent_address6(const Facts& facts, const Options& options) {
  const std::vector<Row>* const veths = facts.rows("/interface/veth");
  if (veths == nullptr) return std::nullopt;
  for (const Row& row : *veths) {
    if (row.text("name") != options.veth || row.text("comment") != options.tag()) continue;
    for (const std::string_view address : split_list(row.text("address"))) {
      const std::optional<Ip> ip = parse_ip(address.substr(0, address.find('/')));
      if (ip && ip->v6) return ip;
    }
  }
  return std::nullopt;
}

std::optional<Membership> find_membership(const Facts& facts, const Options& options) {
  const Membership asked{options.interface_list, options.address_list};
  std::vector<std::string> interface_lists = {asked.interface_list};
  add_lists(facts, "in-interface-list", interface_lists);
  std::vector<std::string> address_lists = {asked.address_list};
  add_lists(facts, "src-address-list", address_lists);
  for (std::vector<std::string>* const lists : {&interface_lists, &address_lists}) {
    if (std::find(lists->begin(), lists->end(), "none") == lists->end()) lists->emplace_back("none");
  }
  const std::vector<std::string> uplink = uplink_lists(facts);
  std::erase_if(interface_lists, [&](const std::string& list) {
    if (list == "none") return false;
    return builtin_list(list) || !list_exists(facts, list) ||
           std::find(uplink.begin(), uplink.end(), list) != uplink.end();
  });
  const auto changes = [&asked](const Membership& m) {
    return (m.interface_list != asked.interface_list ? 1 : 0) +
           (m.address_list != asked.address_list ? 1 : 0);
  };
  std::vector<Membership> candidates;
  for (const std::string& interface_list : interface_lists) {
    for (const std::string& address_list : address_lists)
      candidates.push_back({interface_list, address_list});
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [&](const Membership& a, const Membership& b) { return changes(a) < changes(b); });
  const AddressEntries entries = our_entries(facts, options);
  for (const Membership& candidate : candidates) {
    if (agent_paths(facts, options, candidate, entries).all_pass()) return candidate;
  }
  return std::nullopt;
}

std::vector<std::string> accept_commands(const Facts& facts, const Options& options) {
  Facts changed = facts;
  std::vector<std::string> out;
  const Membership asked{options.interface_list, options.address_list};
  const AddressEntries entries = our_entries(facts, options);
  for (std::size_t i = 0; i < kMostRules; ++i) {
    const AgentPaths paths = agent_paths(changed, options, asked, entries);
    const DroppingRule* const drop = first_drop(paths);
    if (drop == nullptr) return out;
    const std::string menu = drop->menu;
    const std::string id(drop->rule->id());
    const std::string chain(drop->rule->text("chain"));
    out.push_back(
        fmt::format("{}/add chain={} src-address={} protocol=tcp src-port={} action=accept "
                    "place-before={} comment=\"answers of mikroscope\"",
                    menu, quoted(chain), options.address(), options.port, id));
    Row accept;
    accept.put("chain", chain);
    accept.put("src-address", options.address());
    accept.put("protocol", "tcp");
    accept.put("src-port", std::to_string(options.port));
    accept.put("action", "accept");
    std::vector<Row> rules = *changed.rows(menu);
    const auto at =
        std::find_if(rules.begin(), rules.end(), [&id](const Row& row) { return row.id() == id; });
    if (at == rules.end()) return {};
    rules.insert(at, std::move(accept));
    changed.put(menu, std::move(rules));
  }
  return {};
}

}  // namespace mikroscope::routeros
