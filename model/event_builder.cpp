#include "model/event_builder.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>

namespace mikroscope::model {

EventBuilder::EventBuilder(EventKind kind, OriginPtr origin, std::int64_t wall_ns) {
  event_.kind = kind;
  event_.origin = std::move(origin);
  event_.wall_ns = wall_ns;
}

EventBuilder& EventBuilder::row(const MeasurementPtr& measurement, std::vector<std::string> keys) {
  assert(keys.size() == measurement->keys.size());
  const auto [at, added] = index_.try_emplace(measurement->name, tables_.size());
  if (added) tables_.push_back({measurement, {}, {}});
  table_ = at->second;
  Table& table = tables_[table_];
  const auto same = [&](const Row& row) { return row.keys == keys; };
  const auto found = std::find_if(table.rows.begin(), table.rows.end(), same);
  row_ = static_cast<std::size_t>(found - table.rows.begin());
  if (found == table.rows.end()) {
    table.rows.push_back({std::move(keys)});
    table.cells.resize(table.rows.size() * measurement->fields.size());
  }
  return *this;
}

EventBuilder::Cell& EventBuilder::cell(std::string_view field, [[maybe_unused]] Type type) {
  Table& table = tables_[table_];
  const int column = table.measurement->field(field);
  assert(column >= 0);
  const auto c = static_cast<std::size_t>(column);
  assert(table.measurement->fields[c].type == type);
  return table.cells[row_ * table.measurement->fields.size() + c];
}

EventBuilder& EventBuilder::integer(std::string_view field, std::int64_t value) {
  cell(field, Type::integer) = {value, true};
  return *this;
}
EventBuilder& EventBuilder::real(std::string_view field, double value) {
  if (std::isfinite(value)) cell(field, Type::real) = {std::bit_cast<std::int64_t>(value), true};
  return *this;
}
EventBuilder& EventBuilder::boolean(std::string_view field, bool value) {
  cell(field, Type::boolean) = {value ? 1 : 0, true};
  return *this;
}
EventBuilder& EventBuilder::text(std::string_view field, std::string value) {
  cell(field, Type::text) = {static_cast<std::int64_t>(event_.texts.size()), true};
  event_.texts.push_back(std::move(value));
  return *this;
}

Event EventBuilder::finish() {
  std::vector<ShapeTable> shape;
  for (Table& table : tables_) {
    shape.push_back({table.measurement, std::move(table.rows), 0});
    for (const Cell& cell : table.cells) {
      event_.values.push_back(cell.value);
      event_.present.push_back(cell.present ? 1 : 0);
    }
  }
  event_.shape = std::make_shared<const Shape>(std::move(shape));
  return std::move(event_);
}

}  // namespace mikroscope::model
