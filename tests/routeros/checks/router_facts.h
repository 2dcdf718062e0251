// Facts of made-up routers, written down row by row.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "routeros/deploy/facts.h"
#include "routeros/deploy/finding.h"
#include "routeros/deploy/options.h"

namespace mikroscope::routeros::checks_test {

using Pairs = std::vector<std::pair<std::string, std::string>>;

Row row(const Pairs& pairs);
std::vector<Row> rows(const std::vector<Pairs>& all);

// An arm64 router with 7.24.2, the container package, MikroTik's home configuration, the LAN on bridge
// 192.168.88.1/24 and the uplink on ether1; this machine is 192.168.88.10. No address list, raw empty.
Facts home_router();
// The rules of the home configuration's filter.
std::vector<Row> home_filter();

// The settings menu's single row with these values put over it.
void change(Facts& facts, std::string_view menu, const Pairs& pairs);
// One more row.
void append(Facts& facts, std::string_view menu, const Pairs& pairs);

Options options_with(const Pairs& given);
Finding run_check(std::string_view name, const Facts& facts, const Options& options = default_options());
std::string_view level_name(Level level);

}  // namespace mikroscope::routeros::checks_test
