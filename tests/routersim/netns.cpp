#include "tests/routersim/netns.h"

namespace mikroscope::routersim {

std::unique_ptr<Network> make_namespaces(const State&) {
  return std::make_unique<Network>();
}

}  // namespace mikroscope::routersim
