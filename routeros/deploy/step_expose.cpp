#include <fmt/format.h>

#include "base/text.h"
#include "routeros/deploy/step.h"

namespace mikroscope::routeros {
namespace {

// Who may reach the exposed port: a network by its source address, anything else is an interface list.
Attribute source_of(const Options& options) {
  const std::string& from = options.expose_from.empty() ? options.interface_list : options.expose_from;
  const bool network = !from.empty() && base::is_digit(from.front()) &&
                       from.find_first_not_of("0123456789./") == std::string::npos;
  return {network ? "src-address" : "in-interface-list", from};
}

void add(const StepInput& in, std::vector<Step>& steps) {
  if (!in.options.expose) return;
  const std::string port = fmt::format("{}", in.options.port);
  const Attribute source = source_of(in.options);

  Step nat;
  nat.family = "expose";
  nat.name = "expose nat";
  nat.title = fmt::format("{}:{} leads to the agent", in.options.lan_address, port);
  nat.menu = "/ip/firewall/nat";
  nat.attributes = {{"chain", "dstnat"},
                    source,
                    {"dst-address", in.options.lan_address},
                    {"protocol", "tcp"},
                    {"dst-port", port},
                    {"action", "dst-nat"},
                    {"to-addresses", in.options.address()},
                    {"to-ports", port},
                    {"comment", in.options.tag()}};
  nat.identity = {
      {"chain", "dstnat"}, {"dst-address", in.options.lan_address}, {"protocol", "tcp"}, {"dst-port", port}};
  nat.compared = {source.name, "action", "to-addresses", "to-ports"};
  steps.push_back(std::move(nat));

  Step accept;
  accept.family = "expose";
  accept.name = "expose accept";
  accept.title = "and is let through";
  accept.menu = "/ip/firewall/filter";
  accept.attributes = {{"chain", "forward"},
                       source,
                       {"dst-address", in.options.address()},
                       {"protocol", "tcp"},
                       {"dst-port", port},
                       {"connection-nat-state", "dstnat"},
                       {"action", "accept"},
                       {"comment", in.options.tag()}};
  accept.identity = {
      {"chain", "forward"}, {"dst-address", in.options.address()}, {"protocol", "tcp"}, {"dst-port", port}};
  accept.compared = {source.name, "action"};
  accept.before = {{"chain", "forward"}, {"action", "drop"}};
  steps.push_back(std::move(accept));
}

}  // namespace

const StepFamily kExposeFamily{"expose",
                               "with --expose: a port of the router that leads to the agent, for those that "
                               "--expose-from names",
                               add, false, "remove that rule, or choose another --port or --lan-address"};

}  // namespace mikroscope::routeros
