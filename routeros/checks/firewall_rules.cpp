#include <fmt/format.h>

#include <algorithm>

#include "routeros/checks/support.h"
#include "routeros/deploy/firewall_walk.h"
#include "routeros/session/text.h"

namespace mikroscope::routeros {
namespace {

constexpr std::string_view kMenus[] = {"/ip/firewall/raw", "/ip/firewall/filter", "/ip/firewall/nat",
                                       "/ipv6/firewall/raw", "/ipv6/firewall/filter"};
constexpr std::size_t kShown = 3;

// "!*2000010": the list was deleted, the rule stays and takes it for an empty one.
std::string_view deleted_list(const Row& rule) {
  constexpr std::string_view kMatchers[] = {"in-interface-list", "out-interface-list", "in-bridge-port-list",
                                            "out-bridge-port-list"};
  for (const std::string_view name : kMatchers) {
    std::string_view value = rule.text(name);
    if (value.starts_with('!')) value.remove_prefix(1);
    if (value.starts_with('*')) return name;
  }
  return {};
}

Finding run(const Facts& facts, const Options&) {
  if (std::optional<Finding> hidden = unreadable(facts, {"/ip/firewall/raw", "/ip/firewall/filter"}))
    return *hidden;
  std::vector<std::string> odd;
  std::string fix;
  for (const std::string_view menu : kMenus) {
    const std::vector<Row>* const rules = facts.rows(menu);
    if (rules == nullptr) continue;
    for (const Row& rule : *rules) {
      if (rule.flag("disabled")) continue;
      if (const std::string_view matcher = deleted_list(rule); !matcher.empty()) {
        odd.push_back(fmt::format("{} names a deleted list, which is empty", rule_text(menu, rule)));
        const bool negated = rule.text(matcher).starts_with('!');
        if (fix.empty())
          fix = fmt::format("`{}/set {} {}={}LIST`", menu, rule.id(), matcher, negated ? "!" : "");
      } else if (rule.flag("invalid")) {
        std::string why = printable(rule.text(".about").empty() ? rule.text("about") : rule.text(".about"));
        odd.push_back(fmt::format("{} is invalid and skipped{}{}", rule_text(menu, rule),
                                  why.empty() ? "" : ": ", why));
        // A rule that was just added reads like this for some seconds.
        if (fix.empty())
          fix = why.empty() ? "run this again; if it stays, see the rule's interfaces and lists on the router"
                            : fmt::format("correct it, or `{}/disable {}`", menu, rule.id());
      }
    }
  }
  if (odd.empty()) return ok("all rules are valid");
  const std::size_t all = odd.size();
  odd.resize(std::min(all, kShown));
  return warn(enumerate(odd) + (all > kShown ? fmt::format(" and {} more", all - kShown) : ""),
              std::move(fix));
}

}  // namespace

const Check kFirewallRulesCheck{
    "firewall-rules", "every firewall rule means what it says",
    "/ip/firewall/raw, /ip/firewall/filter, /ip/firewall/nat, /ipv6/firewall/raw, /ipv6/firewall/filter",
    "A rule whose interface list was deleted keeps the list's number and takes "
    "it for an empty list, so that a "
    "negated one matches everything. A rule with a missing interface is skipped.",
    run};

}  // namespace mikroscope::routeros
