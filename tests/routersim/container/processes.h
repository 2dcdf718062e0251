// Containers that are real processes of this machine.
#pragma once

#include <memory>

#include "tests/routersim/container/runner.h"

namespace mikroscope::routersim {

std::unique_ptr<Runner> make_process_runner(const State& state);

}  // namespace mikroscope::routersim
