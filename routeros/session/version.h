// RouterOS versions: "7.24.2 (stable)", "7.25rc1 (testing)", "7.1beta4 (development)", "6.49.10 (long-term)".
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace mikroscope::routeros {

struct Version {
  enum class Stage : std::uint8_t { alpha, beta, rc, release };

  std::uint16_t major = 0;
  std::uint16_t minor = 0;
  std::uint16_t patch = 0;
  Stage stage = Stage::release;
  std::uint16_t pre = 0;  // the N of rcN

  auto operator<=>(const Version&) const = default;  // 7.24beta1 < 7.24rc2 < 7.24 < 7.24.1
};

// Nothing for a text that does not begin with major.minor; the channel in parentheses is ignored.
std::optional<Version> parse_version(std::string_view text);
std::string format_version(const Version& version);

}  // namespace mikroscope::routeros
