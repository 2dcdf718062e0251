// From argv to a verb that runs.
#pragma once

#include <string>
#include <vector>

#include "base/host/result.h"

namespace mikroscope::cli {

// Parses, runs, prints errors; the return value is the process's exit code. No exception escapes.
int run_command_line(const std::vector<std::string>& argv);

// `mikroscope <verb>: <what>` and `  try: <fix>` on stderr. An empty verb leaves the first part at
// `mikroscope:`.
void print_error(const std::string& verb, const base::Error& error);

}  // namespace mikroscope::cli
