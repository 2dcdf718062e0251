#include "base/names.h"

namespace mikroscope::base {

std::string_view next_name(const char*& list) {
  const std::string_view name(list);
  list += name.size() + (name.empty() ? 0 : 1);
  return name;
}

int name_index(const char* list, std::string_view name) {
  for (int i = 0;; ++i) {
    const std::string_view known = next_name(list);
    if (known.empty()) return -1;
    if (known == name) return i;
  }
}

std::string_view name_at(const char* list, std::size_t index) {
  while (index-- != 0) next_name(list);
  return std::string_view(list);
}

}  // namespace mikroscope::base
