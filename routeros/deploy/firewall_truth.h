// Whether something holds, where what was read may not be enough to say.
#pragma once

#include <algorithm>
#include <cstdint>

namespace mikroscope::routeros {

enum class Truth : std::uint8_t { no, maybe, yes };

inline Truth both(Truth a, Truth b) {
  return std::min(a, b);
}
inline Truth either(Truth a, Truth b) {
  return std::max(a, b);
}
inline Truth opposite(Truth t) {
  return static_cast<Truth>(2 - static_cast<int>(t));
}
inline Truth certain(bool holds) {
  return holds ? Truth::yes : Truth::no;
}

}  // namespace mikroscope::routeros
