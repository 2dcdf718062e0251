#include "sinks/stores/row_identity.h"

namespace mikroscope::sinks {
namespace {

constexpr std::string_view kGap[] = {"from", "to"};
constexpr std::string_view kTrigger[] = {"id"};
struct Identity {
  std::string_view measurement;
  std::span<const std::string_view> fields;
};
const Identity kIdentities[] = {{"gap", kGap}, {"trigger", kTrigger}};

}  // namespace

std::span<const std::string_view> identity_fields(std::string_view measurement) {
  for (const Identity& identity : kIdentities) {
    if (identity.measurement == measurement) return identity.fields;
  }
  return {};
}

bool row_stored(const model::Event& event, const model::ShapeTable& table, std::size_t row) {
  bool any = false;
  for (std::uint32_t f = 0; f < table.columns(); ++f) {
    const std::uint32_t slot = table.slot(row, f);
    if (!event.has(slot)) continue;
    if (!table.measurement->sparse || event.integer(slot) != 0) return true;
    any = true;
  }
  return any && !table.measurement->sparse;
}

}  // namespace mikroscope::sinks
