#include "tests/routeros/checks/router_facts.h"

#include <gtest/gtest.h>

namespace mikroscope::routeros::checks_test {

Row row(const Pairs& pairs) {
  Row out;
  for (const auto& [name, value] : pairs) out.put(name, value);
  return out;
}

std::vector<Row> rows(const std::vector<Pairs>& all) {
  std::vector<Row> out;
  for (const Pairs& pairs : all) out.push_back(row(pairs));
  return out;
}

std::vector<Row> home_filter() {
  return rows({
      {{".id", "*1"},
       {"chain", "input"},
       {"action", "accept"},
       {"connection-state", "established,related,untracked"},
       {"comment", "defconf: accept established,related,untracked"}},
      {{".id", "*2"}, {"chain", "input"}, {"action", "drop"}, {"connection-state", "invalid"}},
      {{".id", "*3"}, {"chain", "input"}, {"action", "accept"}, {"protocol", "icmp"}},
      {{".id", "*4"}, {"chain", "input"}, {"action", "accept"}, {"dst-address", "127.0.0.1"}},
      {{".id", "*5"}, {"chain", "input"}, {"action", "drop"}, {"in-interface-list", "!LAN"}},
      {{".id", "*6"}, {"chain", "forward"}, {"action", "accept"}, {"ipsec-policy", "in,ipsec"}},
      {{".id", "*7"}, {"chain", "forward"}, {"action", "accept"}, {"ipsec-policy", "out,ipsec"}},
      {{".id", "*8"},
       {"chain", "forward"},
       {"action", "fasttrack-connection"},
       {"hw-offload", "true"},
       {"connection-state", "established,related"}},
      {{".id", "*9"},
       {"chain", "forward"},
       {"action", "accept"},
       {"connection-state", "established,related,untracked"}},
      {{".id", "*A"}, {"chain", "forward"}, {"action", "drop"}, {"connection-state", "invalid"}},
      {{".id", "*B"},
       {"chain", "forward"},
       {"action", "drop"},
       {"connection-state", "new"},
       {"connection-nat-state", "!dstnat"},
       {"in-interface-list", "WAN"}},
  });
}

Facts home_router() {
  Facts f = assumed_facts({7, 24, 2}, "arm64");
  f.assumed = false;
  f.local_address = "192.168.88.10";
  f.put("/system/resource", rows({{{"version", "7.24.2 (stable)"},
                                   {"architecture-name", "arm64"},
                                   {"board-name", "RB5009UG+S+"},
                                   {"uptime", "3d4h5m6s"},
                                   {"cpu", "ARM64"},
                                   {"cpu-count", "4"},
                                   {"free-memory", "800000000"},
                                   {"total-memory", "1073741824"},
                                   {"free-hdd-space", "900000000"},
                                   {"total-hdd-space", "1073741824"}}}));
  f.put("/system/identity", rows({{{"name", "router"}}}));
  f.put("/system/package", rows({{{"name", "routeros"}, {"version", "7.24.2"}},
                                 {{"name", "container"}, {"version", "7.24.2"}, {"disabled", "false"}}}));
  f.put("/system/device-mode", rows({{{"mode", "advanced"}, {"container", "true"}, {"flagged", "false"}}}));
  f.put("/interface", rows({{{".id", "*1"}, {"name", "ether1"}, {"type", "ether"}},
                            {{".id", "*2"}, {"name", "bridge"}, {"type", "bridge"}}}));
  f.put("/interface/list", rows({{{".id", "*2000000"}, {"name", "all"}, {"builtin", "true"}},
                                 {{".id", "*2000001"}, {"name", "none"}, {"builtin", "true"}},
                                 {{".id", "*2000002"}, {"name", "dynamic"}, {"builtin", "true"}},
                                 {{".id", "*2000003"}, {"name", "static"}, {"builtin", "true"}},
                                 {{".id", "*2000010"}, {"name", "WAN"}},
                                 {{".id", "*2000011"}, {"name", "LAN"}}}));
  f.put("/interface/list/member", rows({{{".id", "*1"}, {"list", "LAN"}, {"interface", "bridge"}},
                                        {{".id", "*2"}, {"list", "WAN"}, {"interface", "ether1"}}}));
  f.put("/ip/address", rows({{{".id", "*1"},
                              {"address", "192.168.88.1/24"},
                              {"network", "192.168.88.0"},
                              {"interface", "bridge"}},
                             {{".id", "*2"},
                              {"address", "198.51.100.7/24"},
                              {"network", "198.51.100.0"},
                              {"interface", "ether1"},
                              {"dynamic", "true"}}}));
  f.put("/ip/route", rows({{{".id", "*1"},
                            {"dst-address", "0.0.0.0/0"},
                            {"gateway", "198.51.100.1"},
                            {"immediate-gw", "198.51.100.1%ether1"},
                            {"routing-table", "main"},
                            {"active", "true"}},
                           {{".id", "*2"},
                            {"dst-address", "192.168.88.0/24"},
                            {"gateway", "bridge"},
                            {"immediate-gw", "bridge"},
                            {"routing-table", "main"},
                            {"active", "true"},
                            {"connect", "true"}}}));
  f.put("/ip/dns", rows({{{"servers", "9.9.9.9"}, {"allow-remote-requests", "true"}}}));
  f.put("/ip/firewall/filter", home_filter());
  f.put("/container/config", rows({{{"registry-url", ""}, {"username", ""}}}));
  return f;
}

void change(Facts& facts, std::string_view menu, const Pairs& pairs) {
  Row settings = facts.settings(menu);
  for (const auto& [name, value] : pairs) settings.put(name, value);
  facts.put(menu, {settings});
}

void append(Facts& facts, std::string_view menu, const Pairs& pairs) {
  std::vector<Row> all = facts.rows(menu) == nullptr ? std::vector<Row>() : *facts.rows(menu);
  all.push_back(row(pairs));
  facts.put(menu, std::move(all));
}

Options options_with(const Pairs& given) {
  Options out = default_options();
  for (const auto& [name, value] : given) {
    const OptionDef* const def = find_option(name);
    if (def == nullptr) {
      ADD_FAILURE() << "no option " << name;
      continue;
    }
    const base::Result<void> done = def->set(out, value);
    EXPECT_TRUE(done.ok()) << name << ": " << (done.ok() ? "" : done.error().what);
  }
  const base::Result<void> settled = settle(out);
  EXPECT_TRUE(settled.ok()) << (settled.ok() ? "" : settled.error().what);
  return out;
}

Finding run_check(std::string_view name, const Facts& facts, const Options& options) {
  for (const Check* const check : all_checks()) {
    if (check->name == name) return check->run(facts, options);
  }
  ADD_FAILURE() << "no check " << name;
  return {};
}

std::string_view level_name(Level level) {
  constexpr std::string_view kNames[] = {"ok", "warn", "missing", "skip"};
  return kNames[static_cast<std::size_t>(level)];
}

}  // namespace mikroscope::routeros::checks_test
