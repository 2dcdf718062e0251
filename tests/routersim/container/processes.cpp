#include "tests/routersim/container/processes.h"

namespace mikroscope::routersim {

std::unique_ptr<Runner> make_process_runner(const State&) {
  return nullptr;
}

}  // namespace mikroscope::routersim
