// What checks are written with. A check is one file and one line in checks.cpp.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "routeros/deploy/facts.h"
#include "routeros/deploy/finding.h"
#include "routeros/deploy/options.h"

namespace mikroscope::routeros {

Finding ok(std::string evidence);
Finding warn(std::string evidence, std::string fix);
Finding missing(std::string evidence, std::string fix);
Finding skip(std::string evidence);

// A finding in place of the check's own when one of these menus could not be read: it names the menu, the
// router's words and the policy that the account lacks.
std::optional<Finding> unreadable(const Facts& facts, std::initializer_list<std::string_view> menus);

// "a, b and c"; "" for none.
std::string enumerate(const std::vector<std::string>& items);
// "3 rules", "1 rule".
std::string count_of(std::size_t n, std::string_view singular, std::string_view plural);
std::string mib(std::uint64_t bytes);  // "59.3 MiB"
// A value for a command that a person will type: quoted where the console needs it.
std::string quoted(std::string_view value);

extern const Check kVersionCheck;
extern const Check kArchitectureCheck;
extern const Check kImageCheck;
extern const Check kPackageCheck;
extern const Check kDeviceModeCheck;
extern const Check kMemoryCheck;
extern const Check kStorageCheck;
extern const Check kEphemeralCheck;
extern const Check kRestartCheck;
extern const Check kVethCheck;
extern const Check kVethNameCheck;
extern const Check kEnvironmentCheck;
extern const Check kFilesCheck;
extern const Check kContainerNameCheck;
extern const Check kSubnetCheck;
extern const Check kInterfaceListCheck;
extern const Check kAddressListCheck;
extern const Check kFirewallCheck;
extern const Check kFirewall6Check;
extern const Check kFirewallRulesCheck;
extern const Check kExposeCheck;
extern const Check kRegistryCheck;
extern const Check kNamesCheck;
extern const Check kTokenCheck;
extern const Check kLeftoversCheck;
extern const Check kOpenResolverCheck;

}  // namespace mikroscope::routeros
