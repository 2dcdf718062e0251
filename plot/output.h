// Figures on their way to files: written, or compared with what is there.
#pragma once

#include <string>
#include <string_view>

#include "base/host/result.h"

namespace mikroscope::plot {

// Error: the file differs from `bytes` or is not there; names it and the first line that differs.
base::Result<void> compare_file(const std::string& path, std::string_view bytes);

// X.svg and "light" give X-light.svg.
std::string themed_name(const std::string& path, std::string_view theme);

}  // namespace mikroscope::plot
