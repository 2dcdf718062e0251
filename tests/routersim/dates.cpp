#include "tests/routersim/dates.h"

#include <fmt/format.h>
#include <time.h>

#include <chrono>

namespace mikroscope::routersim {

std::int64_t wall_seconds() {
  return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

std::string date_time(bool new_style, std::int64_t wall_s) {
  constexpr const char* kMonths[] = {"jan", "feb", "mar", "apr", "may", "jun",
                                     "jul", "aug", "sep", "oct", "nov", "dec"};
  const time_t seconds = wall_s;
  tm parts{};
  gmtime_r(&seconds, &parts);
  const std::string date =
      new_style ? fmt::format("{:04}-{:02}-{:02}", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday)
                : fmt::format("{}/{:02}/{:04}", kMonths[parts.tm_mon], parts.tm_mday, parts.tm_year + 1900);
  return fmt::format("{} {:02}:{:02}:{:02}", date, parts.tm_hour, parts.tm_min, parts.tm_sec);
}

}  // namespace mikroscope::routersim
