// The ways between the agent and those who read it, walked through the firewall.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "routeros/deploy/facts.h"
#include "routeros/deploy/firewall_sets.h"
#include "routeros/deploy/firewall_walk.h"
#include "routeros/deploy/options.h"

namespace mikroscope::routeros {

struct AgentPaths {
  Verdict reply;  // the agent's answer to this machine, or to any host of the LAN
  Verdict relay;  // the agent's answer to the router itself
  std::optional<Verdict>
      request;  // this machine's first packet; nothing where it is not known whence it comes

  bool all_pass() const;
};

struct Membership {
  std::string interface_list;  // "none": in none
  std::string address_list;

  bool operator==(const Membership&) const = default;
};

// With the memberships that an installation would add; those that it has added so far do not count.
AgentPaths agent_paths(const Facts& facts, const Options& options, const Membership& membership);
// The same with the address lists read already: of our_entries().
AgentPaths agent_paths(const Facts& facts, const Options& options, const Membership& membership,
                       const AddressEntries& entries);
AddressEntries our_entries(const Facts& facts, const Options& options);
// The same for the IPv6 address that the veth has; only `reply` and `relay`.
AgentPaths agent_paths6(const Facts& facts, const Options& options, const Ip& agent);
// The first IPv6 address of the agent's veth. An installation gives it none, but its owner may.
std::optional<Ip> agent_address6(const Facts& facts, const Options& options);

// The membership that differs least from the one asked for and lets everything through, among the lists that
// the rules name; never one that the uplink is in. Nothing when no membership does.
std::optional<Membership> find_membership(const Facts& facts, const Options& options);
// Commands that add accept rules in front of those that drop the agent's packets; empty when they cannot
// help.
std::vector<std::string> accept_commands(const Facts& facts, const Options& options);

}  // namespace mikroscope::routeros
