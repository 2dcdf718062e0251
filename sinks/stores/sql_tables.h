// Tables of SQL stores, from measurements: mikroscope_<name>(time, host, keys, fields).
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/event.h"

namespace mikroscope::sinks {

struct SqlColumn {
  std::string name;
  std::string_view type;  // TEXT, BIGINT, DOUBLE PRECISION, BOOLEAN
  bool primary = false;   // of the primary key behind time and host, hence not null
};
// Without time and host, which every table has first.
struct SqlTable {
  std::string name;
  std::vector<SqlColumn> columns;
};

// A cell as text; nullopt is NULL. The table's column says whether it is quoted.
using SqlCell = std::optional<std::string>;

// Rows of one table that came together; a row has time, host, then the table's columns.
struct SqlRows {
  SqlTable table;
  std::vector<std::vector<SqlCell>> rows;
};

// Same events, same rows: in the order of their first mention. NUL is left out of texts, bytes that are no
// UTF-8 become U+FFFD, an empty text of a label or a field is NULL. Times are whole microseconds.
std::vector<SqlRows> sql_rows(std::span<const model::Event> events);

SqlTable sql_table(const model::Measurement& measurement);

std::string sql_name(std::string_view identifier);  // "quoted"
std::string sql_literal(std::string_view text);     // 'quoted', for standard_conforming_strings
// CREATE TABLE IF NOT EXISTS …; no line end.
std::string create_table(const SqlTable& table);
// ALTER TABLE … ADD COLUMN IF NOT EXISTS …; of columns `first` and after.
std::string add_columns(const SqlTable& table, std::span<const SqlColumn> columns);
// "time", "host", …
std::string column_list(const SqlTable& table);

struct Timescale {
  bool hypertables = false;
  std::string compress_after;  // "7 days"; empty: never
  std::string retention;       // empty: for ever
};
// What makes a hypertable of a table, one statement each.
std::vector<std::string> timescale_statements(const SqlTable& table, const Timescale& options);
// Whether a text may stand in INTERVAL '…'.
bool is_interval(std::string_view text);

}  // namespace mikroscope::sinks
