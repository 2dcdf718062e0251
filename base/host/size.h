// Sizes as people write them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/host/result.h"

namespace mikroscope::base {

// "67108864", "64MiB", "64M", "1GiB", "1.5G": units of 1024. Exit::usage otherwise.
Result<std::uint64_t> parse_size(std::string_view text);

}  // namespace mikroscope::base
