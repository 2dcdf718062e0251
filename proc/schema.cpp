#include "proc/schema.h"

namespace mikroscope::proc {
namespace {

constexpr std::string_view kUnitNames[] = {
    "",        "ticks",   "ns",     "us",     "s",       "bytes", "kB",    "pages",
    "sectors", "packets", "events", "blocks", "celsius", "kHz",   "ratio",
};
constexpr std::size_t kUnits = sizeof kUnitNames / sizeof *kUnitNames;
static_assert(kUnits == static_cast<std::size_t>(Unit::ratio) + 1);

}  // namespace

std::string_view unit_name(Unit unit) {
  return kUnitNames[static_cast<std::size_t>(unit)];
}

bool unit_from_name(std::string_view name, Unit& out) {
  for (std::size_t i = 0; i < kUnits; ++i) {
    if (kUnitNames[i] != name) continue;
    out = static_cast<Unit>(i);
    return true;
  }
  return false;
}

}  // namespace mikroscope::proc
