// Dates as RouterOS writes them, in UTC.
#pragma once

#include <cstdint>
#include <string>

namespace mikroscope::routersim {

std::int64_t wall_seconds();
// New (from 7.10): 2023-06-26 00:32:53; old: jun/26/2023 00:32:53.
std::string date_time(bool new_style, std::int64_t wall_s);

}  // namespace mikroscope::routersim
