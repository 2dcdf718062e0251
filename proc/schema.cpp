#include "proc/schema.h"

#include "base/names.h"

namespace mikroscope::proc {
namespace {

// From Unit::ticks on; Unit::none is the empty name.
constexpr char kUnitNames[] =
    "ticks\0ns\0us\0s\0bytes\0kB\0pages\0sectors\0packets\0events\0blocks\0celsius\0kHz\0ratio\0";
static_assert(base::name_count(kUnitNames) == static_cast<std::size_t>(Unit::ratio));

}  // namespace

std::string_view unit_name(Unit unit) {
  if (unit == Unit::none) return {};
  return base::name_at(kUnitNames, static_cast<std::size_t>(unit) - 1);
}

bool unit_from_name(std::string_view name, Unit& out) {
  const int index = base::name_index(kUnitNames, name);
  if (index < 0 && !name.empty()) return false;
  out = static_cast<Unit>(index + 1);
  return true;
}

}  // namespace mikroscope::proc
