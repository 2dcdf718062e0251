// Lists of short names in one literal, each name ended by a NUL and the list by an empty one:
// "stat\0softnet\0". On a router a table of string_views would take more room than the names.
#pragma once

#include <cstddef>
#include <string_view>

namespace mikroscope::base {

// The first name of `list`, which moves behind it; empty at the end.
std::string_view next_name(const char*& list);
// The place of `name`, counted from 0; -1: it is not in the list.
int name_index(const char* list, std::string_view name);
// The name at a place within the list.
std::string_view name_at(const char* list, std::size_t index);

constexpr std::size_t name_count(const char* list) {
  std::size_t count = 0;
  for (; *list != '\0'; ++list) {
    while (*list != '\0') ++list;
    ++count;
  }
  return count;
}

}  // namespace mikroscope::base
