// The entry that marks an environment list as ours: its value is the tag. The agent ignores it.
#pragma once

#include <string_view>

namespace mikroscope::routeros {

inline constexpr std::string_view kMarkerKey = "MIKROSCOPE_TAG";

}  // namespace mikroscope::routeros
