// "Did you mean …?"
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace mikroscope::base {

// Edits (insert, delete, replace, swap of neighbours) that turn one word into the other.
std::size_t edit_distance(std::string_view a, std::string_view b);

// The candidate nearest to `word`, or empty when none is near enough to be a slip of the fingers.
std::string closest(std::string_view word, std::span<const std::string> candidates);

}  // namespace mikroscope::base
