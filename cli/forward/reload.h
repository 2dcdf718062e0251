// Beginning again with the same command line: SIGHUP.
#pragma once

#include <string>
#include <vector>

#include "base/host/result.h"

namespace mikroscope::cli {

// Whether this command line and its configuration file can be read now; else what is wrong is on standard
// error.
bool configuration_is_good(const std::vector<std::string>& argv);
// Replaces this process, which keeps its number. Returns only where that fails.
base::Result<base::Exit> reload(const std::vector<std::string>& argv);

}  // namespace mikroscope::cli
