// Asks for a password on the controlling terminal.
#pragma once

#include <string>

#include "base/host/result.h"

namespace mikroscope::cli {

// True where the process could ask: it has a terminal and is that terminal's foreground job.
bool can_ask_password();

// One line typed without echo. The terminal is as before when this returns, also after Ctrl-C (which is then
// delivered: Exit::interrupted), Ctrl-Z and an end of file. Exit::auth where nobody can be asked.
base::Result<std::string> ask_password(const std::string& prompt);

}  // namespace mikroscope::cli
