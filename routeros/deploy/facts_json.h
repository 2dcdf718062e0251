// Facts as JSON: for bug reports, tests and `doctor --facts`.
#pragma once

#include <string>
#include <string_view>

#include "base/host/result.h"
#include "routeros/deploy/facts.h"

namespace mikroscope::routeros {

// Without secrets: values of environment entries other than the agent's own settings, and the registry's user
// name, read "(left out)". Everything else is as the router said it, addresses and comments included.
std::string facts_to_json(const Facts& facts);
// Menus and members that this version does not know are skipped.
base::Result<Facts> facts_from_json(std::string_view text);

}  // namespace mikroscope::routeros
