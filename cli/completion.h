// Completion scripts and the man page, from the model.
#pragma once

#include <string>

#include "cli/model.h"

namespace mikroscope::cli {

std::string bash_completion(const AppModel& app);
std::string zsh_completion(const AppModel& app);
std::string fish_completion(const AppModel& app);
std::string man_page(const AppModel& app, const std::string& version);

}  // namespace mikroscope::cli
