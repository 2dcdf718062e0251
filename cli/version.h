#pragma once

#include <string_view>

namespace mikroscope::cli {

constexpr std::string_view kVersion = MIKROSCOPE_VERSION;  // from the file VERSION, through CMake

}  // namespace mikroscope::cli
