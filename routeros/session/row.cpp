#include "routeros/session/row.h"

#include <algorithm>

#include "routeros/session/value.h"

namespace mikroscope::routeros {

std::optional<std::string_view> Row::find(std::string_view name) const {
  const auto named = [name](const Attribute& attribute) { return attribute.name == name; };
  const auto last = std::find_if(attributes_.rbegin(), attributes_.rend(), named);
  if (last == attributes_.rend()) return std::nullopt;
  return last->value;
}

std::string_view Row::text(std::string_view name) const {
  return find(name).value_or(std::string_view());
}

bool Row::flag(std::string_view name) const {
  return parse_bool(text(name)).value_or(false);
}

void Row::put(std::string name, std::string value) {
  attributes_.push_back({std::move(name), std::move(value)});
}

}  // namespace mikroscope::routeros
