// Frames as a flat table: X.csv of a recording. Columns come from the layout, none is named here.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/host/result.h"
#include "proc/reader/derived.h"
#include "proc/reader/item.h"

namespace mikroscope::plot {

// Which columns: "all", "none", or a list of table, table.column and busy_total, separated by commas.
class CsvSelection {
 public:
  // Exit::usage for a table or column that this build does not know, with the nearest name.
  static base::Result<CsvSelection> parse(std::string_view text);
  bool none() const { return none_; }
  bool takes(std::string_view table, std::string_view column) const;
  bool takes_total() const { return takes("", "busy_total"); }

 private:
  bool none_ = false;
  std::vector<std::string> wanted_;  // empty: all
};

class CsvTable {
 public:
  explicit CsvTable(CsvSelection selection) : selection_(std::move(selection)) {}

  bool started() const { return started_; }
  // Fixes the columns by the rows that `frame` knows: seq, boot_ns, wall_ns, wall_utc, dt_ns, busy_total,
  // then one for each table.row.column, and derived columns beside those they come from. Ends with '\n'.
  std::string header(const proc::Frame& frame);
  // An absent cell is empty. Valid until the next call; ends with '\n'.
  std::string_view row(const proc::Frame& frame);

  std::size_t columns() const { return columns_; }
  // Rows that appeared after the header was written, as table.row; they are in the .jsonl only.
  const std::vector<std::string>& late_rows() const { return late_rows_; }

 private:
  struct Cell {
    std::uint32_t table;
    std::uint32_t row;
    std::uint32_t column;
    const proc::Derived* derived;  // instead of `column`
  };
  void note_late_rows(const proc::Frame& frame);

  CsvSelection selection_;
  bool started_ = false;
  std::size_t columns_ = 0;
  std::vector<Cell> cells_;
  std::vector<std::uint32_t> rows_seen_;
  std::vector<std::string> late_rows_;
  std::string line_;
};

// table, or table.key.key for a keyed one, without label keys.
std::string row_name(const proc::Layout& layout, std::uint32_t table, std::uint32_t row);

}  // namespace mikroscope::plot
