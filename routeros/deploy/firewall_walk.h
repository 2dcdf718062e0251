// What the firewall does to a packet: the rules of raw and filter in their order, through jumps and back.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "routeros/deploy/facts.h"
#include "routeros/deploy/firewall_packet.h"

namespace mikroscope::routeros {

struct DroppingRule {
  std::string menu;  // "/ip/firewall/raw"
  const Row* rule = nullptr;
  bool surely = false;  // it matches, and what comes before it lets the packet through to it
};

struct Verdict {
  bool known = true;  // false: a table could not be read
  bool may_pass = false;
  bool may_drop = false;
  std::vector<DroppingRule> drops;  // in the order in which the packet meets them

  bool passes() const { return known && !may_drop; }
  bool dropped() const { return known && !may_pass; }
};

// Through prerouting of raw, then `chain` ("forward" or "input") of filter, of the packet's family. A packet
// that raw takes out of connection tracking meets filter as untracked.
Verdict walk_firewall(const Facts& facts, std::string_view chain, const PacketView& view);

// "/ip/firewall/raw *1A, chain=prerouting in-interface-list=!LAN action=drop": for people.
std::string rule_text(const DroppingRule& drop);
std::string rule_text(std::string_view menu, const Row& rule);

}  // namespace mikroscope::routeros
