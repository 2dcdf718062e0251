// The command line of mikroscope-agent, apart from main() so that tests can call it.
#pragma once

#include <string_view>

namespace mikroscope::agent {

// Returns the exit code. Writes to descriptors 1 and 2.
int run_program(int argc, const char* const* argv);

}  // namespace mikroscope::agent
