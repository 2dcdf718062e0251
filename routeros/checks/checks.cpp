#include "routeros/checks/support.h"

namespace mikroscope::routeros {
namespace {

// The order in which they are shown: what stops an installation first.
constexpr const Check* kChecks[] = {
    &kVersionCheck,       &kArchitectureCheck, &kImageCheck,     &kPackageCheck,       &kDeviceModeCheck,
    &kMemoryCheck,        &kStorageCheck,      &kEphemeralCheck, &kRestartCheck,       &kVethCheck,
    &kVethNameCheck,      &kEnvironmentCheck,  &kFilesCheck,     &kContainerNameCheck, &kSubnetCheck,
    &kInterfaceListCheck, &kAddressListCheck,  &kFirewallCheck,  &kFirewall6Check,     &kFirewallRulesCheck,
    &kExposeCheck,        &kRegistryCheck,     &kNamesCheck,     &kTokenCheck,         &kLeftoversCheck,
    &kOpenResolverCheck,
};

}  // namespace

std::span<const Check* const> all_checks() {
  return kChecks;
}

}  // namespace mikroscope::routeros
