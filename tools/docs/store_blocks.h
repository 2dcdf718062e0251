// What is stored, and where to: measurements and sinks.
#pragma once

#include <string>

namespace mikroscope::docs {

std::string kernel_schema();
std::string routeros_schema();
std::string agent_schema();
std::string detection_schema();
std::string collector_schema();
std::string sinks();

}  // namespace mikroscope::docs
