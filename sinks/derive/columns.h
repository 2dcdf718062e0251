// Where the fields of one measurement lie in events: found once per shape, then read by number.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/event.h"

namespace mikroscope::sinks {

class Columns {
 public:
  Columns(std::string_view measurement, std::initializer_list<std::string_view> fields);

  // Whether events of this shape have the measurement. Everything below is about the event asked for last.
  bool in(const model::Event& event);
  // That event's shape was not the one before.
  bool changed() const { return changed_; }

  std::size_t rows() const { return table_ == nullptr ? 0 : table_->rows.size(); }
  const std::vector<std::string>& keys(std::size_t row) const { return table_->rows[row].keys; }
  // Fields by their place in the constructor's list.
  bool has(const model::Event& event, std::size_t row, std::size_t field) const;
  std::optional<std::int64_t> integer(const model::Event& event, std::size_t row, std::size_t field) const;
  std::optional<double> number(const model::Event& event, std::size_t row, std::size_t field) const;
  std::string_view text(const model::Event& event, std::size_t row, std::size_t field) const;  // or empty
  // nullopt: there is no such field.
  std::optional<std::uint32_t> slot(std::size_t row, std::size_t field) const;
  // What differences of the measurement cover.
  std::int64_t interval_ns(const model::Event& event) const { return event.interval_ns(table_index_); }

 private:
  std::string measurement_;
  std::vector<std::string> fields_;
  model::ShapePtr shape_;  // keeps table_ alive
  const model::ShapeTable* table_ = nullptr;
  std::size_t table_index_ = 0;
  std::vector<int> columns_;
  bool changed_ = false;
};

}  // namespace mikroscope::sinks
