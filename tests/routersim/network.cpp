#include "tests/routersim/network.h"

#include "tests/routersim/netns.h"
#include "tests/routersim/state.h"

namespace mikroscope::routersim {

std::unique_ptr<Network> make_network(const State& state) {
  if (state.config.run == RunMode::netns) return make_namespaces(state);
  return std::make_unique<Network>();
}

}  // namespace mikroscope::routersim
