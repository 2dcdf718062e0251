// Versions of RouterOS as the double orders them: 7.24beta1 < 7.24rc1 < 7.24 < 7.24.1. Its own code, so that
// a mistake in the client's is not repeated here.
#pragma once

#include <compare>
#include <string>
#include <string_view>

namespace mikroscope::routersim {

struct RosVersion {
  int major = 0;
  int minor = 0;
  int patch = 0;
  int stage = 2;  // 0 beta, 1 rc, 2 release
  int pre = 0;

  auto operator<=>(const RosVersion&) const = default;
};

// 0.0 for what does not begin with major.minor.
RosVersion parse_ros(std::string_view text);
// "stable", "testing" or "development": what RouterOS puts in parentheses behind it.
std::string_view default_channel(const RosVersion& version);

}  // namespace mikroscope::routersim
