// Network namespaces: the router's, one for the LAN, and one for the provider.
#pragma once

#include <memory>

#include "tests/routersim/network.h"

namespace mikroscope::routersim {

std::unique_ptr<Network> make_namespaces(const State& state);

}  // namespace mikroscope::routersim
