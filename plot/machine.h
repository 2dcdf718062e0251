// What a recording's meta data say of the machine.
#pragma once

#include <string>

namespace mikroscope::plot {

// "RB5009, Linux 5.6.3, agent 0.1.0" of what X.meta.json knows; empty without one.
std::string machine_line(const std::string& meta_path);

}  // namespace mikroscope::plot
