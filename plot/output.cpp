#include "plot/output.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/host/files.h"

namespace mikroscope::plot {
namespace {

constexpr std::string_view kFix = "draw it again without --check";

}  // namespace

base::Result<void> compare_file(const std::string& path, std::string_view bytes) {
  auto old = base::read_text(path);
  if (!old)
    return base::Error{fmt::format("stale figure: {}", old.error().what), std::string(kFix),
                       base::Exit::failed};
  if (*old == bytes) return {};
  const std::string_view have(*old);
  const auto [a, b] = std::mismatch(have.begin(), have.end(), bytes.begin(), bytes.end());
  const auto line = std::count(have.begin(), a, '\n') + 1;
  return base::Error{fmt::format("stale figure {}: differs from line {} on", path, line), std::string(kFix),
                     base::Exit::failed};
}

std::string themed_name(const std::string& path, std::string_view theme) {
  const std::string_view name(path);
  const std::string_view stem = name.ends_with(".svg") ? name.substr(0, name.size() - 4) : name;
  return fmt::format("{}-{}{}", stem, theme, name.substr(stem.size()));
}

}  // namespace mikroscope::plot
