#include "routeros/deploy/firewall_uplink.h"

#include <algorithm>

namespace mikroscope::routeros {
namespace {

bool usable(const Row& route) {
  const std::string_view table = route.text("routing-table");
  if (!table.empty() && table != "main") return false;
  return route.flag("active") && !route.flag("disabled") && !route.flag("blackhole");
}

// "10.0.2.2%ether1" for a gateway, "pppoe-out1" alone for a link without one.
std::string route_interface(const Row& route) {
  std::string_view via = route.text("immediate-gw");
  if (via.empty()) via = route.text("gateway");
  const std::size_t percent = via.find('%');
  if (percent != std::string_view::npos) return std::string(via.substr(percent + 1));
  return parse_ip(via) ? std::string() : std::string(via);
}

void add_once(std::vector<std::string>& list, std::string item) {
  if (!item.empty() && std::find(list.begin(), list.end(), item) == list.end())
    list.push_back(std::move(item));
}

}  // namespace

std::vector<std::string> uplinks(const Facts& facts) {
  std::vector<std::string> out;
  const std::vector<Row>* const routes = facts.rows("/ip/route");
  if (routes == nullptr) return out;
  for (const Row& route : *routes) {
    if (route.text("dst-address") == "0.0.0.0/0" && usable(route)) add_once(out, route_interface(route));
  }
  return out;
}

std::string interface_towards(const Facts& facts, const Ip& ip) {
  const std::vector<Row>* const routes = facts.rows("/ip/route");
  if (routes == nullptr) return {};
  int longest = -1;
  std::string out;
  for (const Row& route : *routes) {
    const std::string_view dst = route.text("dst-address");
    const std::optional<IpRange> range = parse_ip_range(dst);
    const std::optional<int> length = prefix_length(dst);
    if (!range || !length || *length <= longest || !range->contains(ip) || !usable(route)) continue;
    longest = *length;
    out = route_interface(route);
  }
  return out;
}

std::string interface_holding(const Facts& facts, const Ip& ip) {
  const std::vector<Row>* const addresses = facts.rows("/ip/address");
  if (addresses == nullptr) return {};
  for (const Row& row : *addresses) {
    const std::string_view address = row.text("address");
    if (row.flag("disabled") || row.flag("invalid")) continue;
    if (parse_ip(address.substr(0, address.find('/'))) == std::optional(ip))
      return std::string(row.text("interface"));
  }
  return {};
}

std::vector<std::string> uplink_lists(const Facts& facts) {
  std::vector<std::string> out;
  const InterfaceLists lists(facts, {});
  for (const std::string& uplink : uplinks(facts)) {
    for (std::string& list : lists.lists_of(uplink)) add_once(out, std::move(list));
  }
  const std::vector<Row>* const all = facts.rows("/interface/list");
  if (all != nullptr) {
    for (const Row& row : *all) {
      if (row.text("name") == "WAN") add_once(out, "WAN");
    }
  }
  return out;
}

}  // namespace mikroscope::routeros
