// Makes an event row by row: for tiers whose rows are not known beforehand.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/event.h"

namespace mikroscope::model {

class EventBuilder {
 public:
  EventBuilder(EventKind kind, OriginPtr origin, std::int64_t wall_ns);

  // Selects a row, which is made when it is new; `keys` in the measurement's order, as many as it has.
  EventBuilder& row(const MeasurementPtr& measurement, std::vector<std::string> keys = {});
  // Cells of the selected row. A field that the measurement does not have is a fault of the program (assert).
  EventBuilder& integer(std::string_view field, std::int64_t value);
  EventBuilder& real(std::string_view field, double value);  // not finite: left out
  EventBuilder& boolean(std::string_view field, bool value);
  EventBuilder& text(std::string_view field, std::string value);

  Event& head() { return event_; }  // seq, boot_ns, …
  bool empty() const { return tables_.empty(); }
  // Tables and rows in the order of their first mention. The builder is used up.
  Event finish();

 private:
  struct Cell {
    std::int64_t value = 0;
    bool present = false;
  };
  struct Table {
    MeasurementPtr measurement;
    std::vector<Row> rows;
    std::vector<Cell> cells;
  };
  Cell& cell(std::string_view field, Type type);

  Event event_;
  std::vector<Table> tables_;
  std::map<std::string, std::size_t, std::less<>> index_;
  std::size_t table_ = 0;
  std::size_t row_ = 0;
};

}  // namespace mikroscope::model
