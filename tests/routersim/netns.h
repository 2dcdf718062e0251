// Network namespaces: the router's, and one for the LAN.
#pragma once

#include <memory>

#include "tests/routersim/network.h"

namespace mikroscope::routersim {

std::unique_ptr<Network> make_namespaces(const State& state);

}  // namespace mikroscope::routersim
