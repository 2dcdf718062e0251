#include "model/event.h"

#include <array>
#include <cmath>

namespace mikroscope::model {

std::string_view event_kind_name(EventKind kind) {
  static constexpr std::array<std::string_view, kEventKinds> kNames = {
      "sample", "log", "trigger", "gap", "restart", "device", "sampler", "api", "detection", "collector"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::optional<double> number(const Event& event, const Field& field, std::uint32_t slot) {
  if (!event.has(slot)) return std::nullopt;
  switch (field.type) {
    case Type::integer:
    case Type::boolean:
      return static_cast<double>(event.integer(slot));
    case Type::decimal:
      return static_cast<double>(event.integer(slot)) / std::pow(10.0, field.decimals);
    case Type::real: {
      const double value = event.real(slot);
      return std::isfinite(value) ? std::optional(value) : std::nullopt;
    }
    case Type::text:
      break;
  }
  return std::nullopt;
}

std::optional<double> find_number(const Event& event, std::string_view measurement,
                                  const std::vector<std::string>& keys, std::string_view field) {
  if (!event.shape) return std::nullopt;
  const ShapeTable* const table = event.shape->find(measurement);
  if (table == nullptr) return std::nullopt;
  const int column = table->measurement->field(field);
  if (column < 0) return std::nullopt;
  for (std::size_t row = 0; row < table->rows.size(); ++row) {
    const std::vector<std::string>& has = table->rows[row].keys;
    bool same = keys.size() <= has.size();
    for (std::size_t k = 0; same && k < keys.size(); ++k) same = keys[k] == has[k];
    if (!same) continue;
    return number(event, table->measurement->fields[static_cast<std::size_t>(column)],
                  table->slot(row, static_cast<std::size_t>(column)));
  }
  return std::nullopt;
}

}  // namespace mikroscope::model
