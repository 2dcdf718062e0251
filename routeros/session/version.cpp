#include "routeros/session/version.h"

#include <fmt/format.h>

#include "base/text.h"

namespace mikroscope::routeros {
namespace {

struct StageName {
  std::string_view name;
  Version::Stage stage;
};
constexpr StageName kStages[] = {
    {"alpha", Version::Stage::alpha}, {"beta", Version::Stage::beta}, {"rc", Version::Stage::rc}};

bool number(base::Scanner& s, std::uint16_t& out) {
  std::uint64_t value = 0;
  if (!base::is_digit(s.peek()) || !s.u64(value) || value > UINT16_MAX) return false;
  out = static_cast<std::uint16_t>(value);
  return true;
}

}  // namespace

std::optional<Version> parse_version(std::string_view text) {
  base::Scanner s(base::trim(text));
  Version version;
  if (!number(s, version.major) || !s.consume('.') || !number(s, version.minor)) return std::nullopt;
  if (s.consume('.') && !number(s, version.patch)) return std::nullopt;
  for (const StageName& stage : kStages) {
    if (!s.consume(stage.name)) continue;
    version.stage = stage.stage;
    if (base::is_digit(s.peek()) && !number(s, version.pre)) return std::nullopt;
    break;
  }
  return version;
}

std::string format_version(const Version& version) {
  std::string out = fmt::format("{}.{}", version.major, version.minor);
  if (version.patch != 0) out += fmt::format(".{}", version.patch);
  for (const StageName& stage : kStages) {
    if (stage.stage == version.stage) out += fmt::format("{}{}", stage.name, version.pre);
  }
  return out;
}

}  // namespace mikroscope::routeros
