// forward --check: would it work?
#pragma once

#include <memory>
#include <vector>

#include "base/host/result.h"
#include "cli/forward/targets.h"
#include "sinks/pipeline/sink.h"

namespace mikroscope::cli {

// One line for each store and each router, on standard error. The exit code of the first that would not work.
base::Result<base::Exit> check_all(const std::vector<ForwardTarget>& targets,
                                   const std::vector<std::unique_ptr<sinks::Sink>>& sinks);

}  // namespace mikroscope::cli
