#include <fmt/format.h>

#include "routeros/checks/support.h"
#include "routeros/deploy/firewall_address.h"
#include "routeros/session/text.h"

namespace mikroscope::routeros {
namespace {

// What is in the way of `subnet`; "" for nothing. The veth's connected route is the most specific one, so a
// wider route that only leads elsewhere does not matter; a wider network that is connected here does.
std::string in_the_way(const Facts& facts, const IpRange& subnet, std::string_view veth) {
  const std::vector<Row>* const addresses = facts.rows("/ip/address");
  for (const Row& row : *addresses) {
    if (row.flag("disabled") || row.text("interface") == veth) continue;
    const std::optional<IpRange> range = parse_ip_range(row.text("address"));
    if (range && range->overlaps(subnet)) {
      return fmt::format("{} on {}", printable(row.text("address")), printable(row.text("interface")));
    }
  }
  for (const Row& row : *facts.rows("/ip/route")) {
    const std::string_view table = row.text("routing-table");
    if (row.flag("disabled") || row.flag("blackhole") || (!table.empty() && table != "main")) continue;
    const std::optional<IpRange> range = parse_ip_range(row.text("dst-address"));
    if (!range || range->everything() || !range->overlaps(subnet)) continue;
    const std::string_view gateway = row.text("gateway");
    const std::string_view via = row.text("immediate-gw");
    const std::string suffix = "%" + std::string(veth);
    if (gateway == veth || via == veth || gateway.ends_with(suffix) || via.ends_with(suffix)) continue;
    if (row.flag("connect") || subnet.contains(*range)) {
      return fmt::format("the route to {} via {}", printable(row.text("dst-address")),
                         printable(gateway.empty() ? via : gateway));
    }
  }
  return {};
}

// The nearest free one, for the fix; "" when none of the next is.
std::string free_subnet(const Facts& facts, const Options& options) {
  const std::optional<IpRange> wanted = parse_ip_range(options.subnet);
  if (!wanted) return {};
  for (unsigned step = 1; step < 4096; ++step) {
    IpRange next = *wanted;
    const unsigned third = (static_cast<unsigned>(next.first.bytes[2]) << 8 | next.first.bytes[3]) + 4 * step;
    next.first.bytes[2] = next.last.bytes[2] = static_cast<std::uint8_t>(third >> 8);
    next.first.bytes[3] = static_cast<std::uint8_t>(third);
    next.last.bytes[3] = static_cast<std::uint8_t>(next.first.bytes[3] | 3);
    if (in_the_way(facts, next, options.veth).empty()) return ip_text(next.first) + "/30";
  }
  return {};
}

Finding run(const Facts& facts, const Options& options) {
  if (std::optional<Finding> hidden = unreadable(facts, {"/ip/address", "/ip/route"})) return *hidden;
  const std::optional<IpRange> subnet = parse_ip_range(options.subnet);
  if (!subnet) return skip("no subnet was given");
  const std::string other = in_the_way(facts, *subnet, options.veth);
  if (other.empty()) return ok(fmt::format("{} is free", options.subnet));
  const std::string free = free_subnet(facts, options);
  return missing(fmt::format("{} meets {}", options.subnet, other),
                 free.empty() ? "choose another --subnet" : fmt::format("--subnet {}", free));
}

}  // namespace

const Check kSubnetCheck{"subnet", "the subnet meets no address or route", "/ip/address, /ip/route",
                         "The link between router and agent is a network of its own. Where the router is "
                         "connected to one that contains it, answers would leave by the wrong interface.",
                         run};

}  // namespace mikroscope::routeros
