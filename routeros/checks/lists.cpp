#include <fmt/format.h>

#include <algorithm>

#include "routeros/checks/firewall_paths.h"
#include "routeros/checks/support.h"
#include "routeros/deploy/firewall_uplink.h"

namespace mikroscope::routeros {
namespace {

Finding run_interface_list(const Facts& facts, const Options& options) {
  const std::string& list = options.interface_list;
  if (list == "none") return ok("joins none");
  if (std::optional<Finding> hidden = unreadable(facts, {"/interface/list"})) return *hidden;
  const std::vector<Row>& lists = *facts.rows("/interface/list");
  const bool exists =
      std::any_of(lists.begin(), lists.end(), [&list](const Row& row) { return row.text("name") == list; });
  if (!exists) {
    Options without = options;
    without.interface_list = "none";
    const bool needless = agent_paths(facts, without, {"none", options.address_list}).all_pass();
    return missing(fmt::format("there is no interface list \"{}\"", list),
                   needless ? "--iface-list none: no rule asks for it"
                            : fmt::format("name the list that the firewall's rules use with --iface-list, or "
                                          "`/interface/list/add name={}`",
                                          quoted(list)));
  }
  const std::vector<std::string> uplink = uplink_lists(facts);
  if (std::find(uplink.begin(), uplink.end(), list) != uplink.end()) {
    return warn(
        fmt::format("the uplink is in \"{}\": the firewall would take the agent for the Internet", list),
        "--iface-list with the list of the LAN, or --iface-list none");
  }
  return ok(fmt::format("\"{}\" is there", list));
}

Finding run_address_list(const Facts& facts, const Options& options) {
  const std::string& list = options.address_list;
  if (list == "none") return ok("joins none");
  if (std::optional<Finding> hidden = unreadable(facts, {"/ip/firewall/address-list"})) return *hidden;
  const std::vector<Row>& rows = *facts.rows("/ip/firewall/address-list");
  const auto count =
      std::count_if(rows.begin(), rows.end(), [&list](const Row& row) { return row.text("list") == list; });
  if (count == 0) return ok(fmt::format("\"{}\" is new", list));
  return ok(
      fmt::format("\"{}\" has {}", list, count_of(static_cast<std::size_t>(count), "entry", "entries")));
}

}  // namespace

const Check kInterfaceListCheck{
    "interface-list", "the interface list exists", "/interface/list, /interface/list/member, /ip/route",
    "The agent's interface joins it, so that rules about the LAN hold for the agent. "
    "Lists of the uplink are the wrong ones.",
    run_interface_list};
const Check kAddressListCheck{
    "address-list", "the address list is there or will be", "/ip/firewall/address-list",
    "The agent's subnet joins it; an address list exists as soon as it has an entry.", run_address_list};

}  // namespace mikroscope::routeros
