// What this machine calls itself: the tag of its events.
#pragma once

#include <string>

namespace mikroscope::cli {

// `otherwise` where it has no name.
std::string host_name(const std::string& otherwise);

}  // namespace mikroscope::cli
