#include "base/host/size.h"

#include <charconv>
#include <cmath>

namespace mikroscope::base {

Result<std::uint64_t> parse_size(std::string_view text) {
  const Error wrong{"\"" + std::string(text) + "\" is no size", "write it like 64MiB or 1GiB", Exit::usage};
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || !(number >= 0)) return wrong;
  std::string unit(text.substr(static_cast<std::size_t>(end - text.data())));
  double factor = 1;
  if (!unit.empty() && unit != "B") {
    const std::size_t power = std::string_view("KMGT").find(unit[0] == 'k' ? 'K' : unit[0]);
    if (power == std::string_view::npos ||
        (unit.size() > 1 && unit.substr(1) != "iB" && unit.substr(1) != "B"))
      return wrong;
    factor = std::pow(1024.0, static_cast<double>(power + 1));
  }
  const double bytes = number * factor;
  if (bytes > 1e18) return wrong;
  return static_cast<std::uint64_t>(bytes);
}

}  // namespace mikroscope::base
