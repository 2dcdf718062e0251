#include "tests/routersim/version.h"

namespace mikroscope::routersim {
namespace {

int take_number(std::string_view& text) {
  int value = 0;
  while (!text.empty() && text.front() >= '0' && text.front() <= '9') {
    value = value * 10 + (text.front() - '0');
    text.remove_prefix(1);
  }
  return value;
}

bool take(std::string_view& text, std::string_view what) {
  if (text.substr(0, what.size()) != what) return false;
  text.remove_prefix(what.size());
  return true;
}

}  // namespace

RosVersion parse_ros(std::string_view text) {
  RosVersion version;
  version.major = take_number(text);
  if (!take(text, ".")) return {};
  version.minor = take_number(text);
  if (take(text, "beta")) {
    version.stage = 0;
  } else if (take(text, "rc")) {
    version.stage = 1;
  } else if (take(text, ".")) {
    version.patch = take_number(text);
    return version;
  }
  version.pre = take_number(text);
  return version;
}

std::string_view default_channel(const RosVersion& version) {
  constexpr std::string_view kNames[] = {"development", "testing", "stable"};
  return kNames[version.stage];
}

}  // namespace mikroscope::routersim
