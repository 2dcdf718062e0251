#include <fmt/format.h>

#include "routeros/checks/support.h"
#include "routeros/deploy/firewall_uplink.h"
#include "routeros/deploy/firewall_walk.h"
#include "routeros/session/text.h"

namespace mikroscope::routeros {
namespace {

Finding run_names(const Facts& facts, const Options& options) {
  if (std::optional<Finding> hidden = unreadable(facts, {"/ip/dns"})) return *hidden;
  const Row& dns = facts.settings("/ip/dns");
  std::string servers = printable(dns.text("servers"));
  if (servers.empty()) servers = printable(dns.text("dynamic-servers"));
  if (!servers.empty()) return ok(servers);
  if (!dns.text("use-doh-server").empty()) return ok("DNS over HTTPS");
  if (options.remote_image.empty())
    return ok(fmt::format("none; the container is told {}", options.gateway()));
  return missing("none: the router cannot find the registry", "`/ip/dns/set servers=9.9.9.9` (or your own)");
}

std::optional<Ip> address_of(const Facts& facts, const std::string& interface) {
  const std::vector<Row>* const addresses = facts.rows("/ip/address");
  if (addresses == nullptr) return std::nullopt;
  for (const Row& row : *addresses) {
    const std::string_view address = row.text("address");
    if (row.text("interface") == interface && !row.flag("disabled"))
      return parse_ip(address.substr(0, address.find('/')));
  }
  return std::nullopt;
}

// A question to the router's resolver from the Internet.
Verdict question(const Facts& facts, const std::string& uplink) {
  const InterfaceLists interfaces(facts, {});
  const AddressEntries entries = address_entries(facts, "/ip/firewall/address-list");
  const AddressLists addresses(entries, {});
  Packet packet;
  packet.in_interface = uplink;
  packet.dst = address_of(facts, uplink);
  packet.to_router = true;
  packet.plain = true;
  packet.protocol = "udp";
  packet.dst_port = 53;
  packet.states = {"new"};
  return walk_firewall(facts, "input", {packet, interfaces, addresses});
}

std::string first_input_rule(const Facts& facts) {
  for (const Row& rule : *facts.rows("/ip/firewall/filter")) {
    if (rule.text("chain") == "input" && !rule.flag("dynamic"))
      return fmt::format(" place-before={}", rule.id());
  }
  return {};
}

Finding run_open_resolver(const Facts& facts, const Options&) {
  if (std::optional<Finding> hidden = unreadable(facts, {"/ip/dns", "/ip/route", "/ip/firewall/raw",
                                                         "/ip/firewall/filter", "/interface/list/member"})) {
    return *hidden;
  }
  if (!facts.settings("/ip/dns").flag("allow-remote-requests")) return ok("it answers only itself");
  const std::vector<std::string> all = uplinks(facts);
  if (all.empty()) return ok("no uplink is known");
  for (const std::string& uplink : all) {
    const Verdict verdict = question(facts, uplink);
    if (verdict.dropped()) continue;
    const std::string before = first_input_rule(facts);
    std::string fix;
    for (const std::string_view protocol : {"udp", "tcp"}) {
      fix += fmt::format(
          "{}`/ip/firewall/filter/add chain=input in-interface={} protocol={} dst-port=53 "
          "action=drop{}`",
          fix.empty() ? "" : " and ", quoted(uplink), protocol, before);
    }
    return warn(fmt::format("{} questions from {}", verdict.may_drop ? "it may answer" : "it answers",
                            printable(uplink)),
                fix + ", or `/ip/dns/set allow-remote-requests=no`");
  }
  return ok(fmt::format("questions from {} are dropped", enumerate(all)));
}

}  // namespace

const Check kNamesCheck{
    "names", "containers can resolve names", "/ip/dns",
    "RouterOS does not start a container for which it knows no name server. Where the router "
    "has none, the installation names the router itself; the agent resolves nothing.",
    run_names};
const Check kOpenResolverCheck{
    "open-resolver", "the router answers no DNS questions from the Internet",
    "/ip/dns, /ip/route, /ip/address, /ip/firewall/raw, /ip/firewall/filter, /interface/list/member",
    "An open resolver is used for attacks on others, and its load hides what is "
    "measured.",
    run_open_resolver};

}  // namespace mikroscope::routeros
