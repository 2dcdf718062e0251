// Where the router sends packets, and which of its interfaces leads to the Internet.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "routeros/deploy/facts.h"
#include "routeros/deploy/firewall_address.h"
#include "routeros/deploy/firewall_sets.h"

namespace mikroscope::routeros {

// The interfaces of the active default routes of the main table; empty when there is none or it is unknown.
std::vector<std::string> uplinks(const Facts& facts);
// The interface that packets to `ip` leave by, by the longest active route of the main table; "" when
// unknown.
std::string interface_towards(const Facts& facts, const Ip& ip);
// The interface that holds `ip` as an address of the router; "" when none does.
std::string interface_holding(const Facts& facts, const Ip& ip);
// Every list that an uplink is in, and WAN where there is such a list: joining one of them would open the
// agent to the Internet or close it off.
std::vector<std::string> uplink_lists(const Facts& facts);

}  // namespace mikroscope::routeros
