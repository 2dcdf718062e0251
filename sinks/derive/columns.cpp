#include "sinks/derive/columns.h"

namespace mikroscope::sinks {

Columns::Columns(std::string_view measurement, std::initializer_list<std::string_view> fields)
    : measurement_(measurement), fields_(fields.begin(), fields.end()), columns_(fields.size(), -1) {}

bool Columns::in(const model::Event& event) {
  changed_ = false;
  if (!event.shape) return false;
  if (shape_ && (shape_ == event.shape || shape_->id() == event.shape->id())) return table_ != nullptr;
  changed_ = true;
  shape_ = event.shape;
  table_ = shape_->find(measurement_);
  if (table_ == nullptr) return false;
  table_index_ = static_cast<std::size_t>(table_ - shape_->tables().data());
  for (std::size_t f = 0; f < fields_.size(); ++f) columns_[f] = table_->measurement->field(fields_[f]);
  return true;
}

std::optional<std::uint32_t> Columns::slot(std::size_t row, std::size_t field) const {
  const int column = columns_[field];
  if (table_ == nullptr || column < 0) return std::nullopt;
  return table_->slot(row, static_cast<std::size_t>(column));
}

bool Columns::has(const model::Event& event, std::size_t row, std::size_t field) const {
  const auto at = slot(row, field);
  return at && event.has(*at);
}

std::optional<std::int64_t> Columns::integer(const model::Event& event, std::size_t row,
                                             std::size_t field) const {
  const auto at = slot(row, field);
  if (!at || !event.has(*at)) return std::nullopt;
  return event.integer(*at);
}

std::optional<double> Columns::number(const model::Event& event, std::size_t row, std::size_t field) const {
  const auto at = slot(row, field);
  if (!at) return std::nullopt;
  return model::number(event, table_->measurement->fields[static_cast<std::size_t>(columns_[field])], *at);
}

std::string_view Columns::text(const model::Event& event, std::size_t row, std::size_t field) const {
  const auto at = slot(row, field);
  if (!at || !event.has(*at)) return {};
  if (table_->measurement->fields[static_cast<std::size_t>(columns_[field])].type != model::Type::text)
    return {};
  return event.text(*at);
}

}  // namespace mikroscope::sinks
