#include <fmt/format.h>

#include <algorithm>

#include "routeros/checks/support.h"
#include "routeros/deploy/firewall_uplink.h"
#include "routeros/deploy/shape.h"
#include "routeros/session/text.h"

namespace mikroscope::routeros {
namespace {

bool has(const std::vector<std::string>& list, std::string_view item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

// Whether some other rule already takes the port at that address.
const Row* other_rule(const Facts& facts, const Options& options) {
  for (const Row& rule : *facts.rows("/ip/firewall/nat")) {
    if (rule.flag("disabled") || rule.text("chain") != "dstnat" || rule.text("comment") == options.tag())
      continue;
    if (rule.text("dst-address") == options.lan_address &&
        rule.text("dst-port") == std::to_string(options.port) && rule.text("protocol") == "tcp") {
      return &rule;
    }
  }
  return nullptr;
}

Finding run_expose(const Facts& facts, const Options& options) {
  if (!options.expose) return skip("--expose was not asked for");
  if (std::optional<Finding> hidden = unreadable(facts, {"/ip/address", "/ip/firewall/nat"})) return *hidden;
  const std::optional<Ip> address = parse_ip(options.lan_address);
  if (!address) return skip("no --lan-address");
  const std::string interface = interface_holding(facts, *address);
  if (interface.empty()) {
    std::vector<std::string> all;
    for (const Row& row : *facts.rows("/ip/address")) {
      const std::string_view text = row.text("address");
      if (!row.flag("disabled")) all.push_back(printable(text.substr(0, text.find('/'))));
    }
    return missing(fmt::format("no interface has {}", options.lan_address),
                   all.empty() ? "give one of the router's addresses with --lan-address"
                               : fmt::format("--lan-address with one of {}", enumerate(all)));
  }
  if (const Row* const other = other_rule(facts, options)) {
    return missing(fmt::format("{}:{} leads elsewhere already (/ip/firewall/nat {})", options.lan_address,
                               options.port, other->id()),
                   "choose another --port, or another --lan-address");
  }
  const std::string from = options.expose_from.empty() ? options.interface_list : options.expose_from;
  if (!parse_ip_range(from)) {
    const std::vector<Row>* const lists = facts.rows("/interface/list");
    const bool exists = lists != nullptr && std::any_of(lists->begin(), lists->end(), [&](const Row& row) {
                          return row.text("name") == from;
                        });
    if (lists != nullptr && !exists) {
      return missing(fmt::format("--expose-from names an interface list \"{}\" that does not exist", from),
                     "--expose-from with an address, a network or one of `/interface/list/print`");
    }
  }
  const std::vector<std::string> lists = uplink_lists(facts);
  const InterfaceLists members(facts, {});
  const bool on_uplink =
      has(uplinks(facts), interface) || std::any_of(lists.begin(), lists.end(), [&](const std::string& list) {
        return members.has(list, interface) == Truth::yes;
      });
  if (on_uplink) {
    return warn(fmt::format("{} is on {}, the uplink: the port would be open to the Internet as far as "
                            "--expose-from allows",
                            options.lan_address, printable(interface)),
                "--lan-address with the router's address in the LAN");
  }
  if (has(lists, from)) {
    return warn(fmt::format("--expose-from {} includes the uplink", from),
                "--expose-from with the list or network of the LAN");
  }
  return ok(fmt::format("{} is on {}, open to {}", options.lan_address, printable(interface), from));
}

Finding run_token(const Facts& facts, const Options& options) {
  if (std::optional<Finding> hidden = unreadable(facts, {"/ip/firewall/nat", "/container/envs"}))
    return *hidden;
  const bool exposed = !tagged_rows(facts, "/ip/firewall/nat", options.tag()).empty();
  if (!exposed) return ok("no exposed installation");
  if (read_shape(facts, options).token) return ok("the exposed agent asks for a token");
  return warn(
      "the exposed agent asks for no token: whoever reaches the port can read it",
      fmt::format("`mikroscope uninstall --name {}`, then install it anew: a token is made", options.name));
}

}  // namespace

const Check kExposeCheck{"expose", "the exposed address is the router's, and not at the uplink",
                         "/ip/address, /ip/firewall/nat, /interface/list, /interface/list/member, /ip/route",
                         "With --expose a port of the router leads to the agent.", run_expose};
const Check kTokenCheck{"token", "an exposed agent asks for a token", "/ip/firewall/nat, /container/envs",
                        "An exposed agent without one can be read by everybody who may use the port.",
                        run_token};

}  // namespace mikroscope::routeros
