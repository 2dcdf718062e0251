// Which rows and fields an event has. Shapes are few and shared: an event is a shape and flat cells.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/host/result.h"
#include "model/measurement.h"

namespace mikroscope::model {

struct Row {
  std::vector<std::string> keys;  // as text, one for each key of the measurement
};

struct ShapeTable {
  MeasurementPtr measurement;
  std::vector<Row> rows;
  std::uint32_t slot0 = 0;

  std::uint32_t columns() const { return static_cast<std::uint32_t>(measurement->fields.size()); }
  std::uint32_t slot(std::size_t row, std::size_t field) const {
    return slot0 + static_cast<std::uint32_t>(row) * columns() + static_cast<std::uint32_t>(field);
  }
};

// Immutable. Two shapes with the same id have the same content, in every process.
class Shape {
 public:
  explicit Shape(std::vector<ShapeTable> tables);

  const std::vector<ShapeTable>& tables() const { return tables_; }
  std::uint32_t slots() const { return slots_; }
  std::uint64_t id() const { return id_; }
  const ShapeTable* find(std::string_view measurement) const;

  // For the spool and for messages: everything but the id, which the content gives.
  const std::string& bytes() const { return bytes_; }
  static base::Result<std::shared_ptr<const Shape>> parse(std::string_view bytes);

 private:
  std::vector<ShapeTable> tables_;
  std::uint32_t slots_ = 0;
  std::uint64_t id_ = 0;
  std::string bytes_;
};

using ShapePtr = std::shared_ptr<const Shape>;

}  // namespace mikroscope::model
