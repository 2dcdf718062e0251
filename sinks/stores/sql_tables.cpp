#include "sinks/stores/sql_tables.h"

#include <fmt/format.h>

#include <algorithm>

#include "sinks/stores/json_text.h"
#include "sinks/stores/row_identity.h"

namespace mikroscope::sinks {
namespace {

using model::Field;
using model::Measurement;
using model::Type;

constexpr std::string_view kText = "TEXT";
constexpr std::string_view kBigint = "BIGINT";

std::string_view type_of(const Field& field) {
  switch (field.type) {
    case Type::integer:
      return kBigint;
    case Type::boolean:
      return "BOOLEAN";
    case Type::text:
      return kText;
    default:
      return "DOUBLE PRECISION";
  }
}

std::string clean(std::string_view text) {
  std::string out = valid_utf8(text);
  std::erase(out, '\0');
  return out;
}

SqlCell key_cell(const model::Key& key, std::string_view text) {
  if (!key.text) return is_digits(text) ? SqlCell(std::string(text)) : SqlCell("-1");
  std::string value = clean(text);
  if (key.label && value.empty()) return std::nullopt;
  return value;
}

SqlCell field_cell(const model::Event& event, const Field& field, std::uint32_t slot) {
  if (!event.has(slot)) return std::nullopt;
  if (field.type == Type::boolean) return event.integer(slot) != 0 ? "true" : "false";
  if (field.type == Type::text) {
    std::string value = clean(event.text(slot));
    return value.empty() ? SqlCell() : SqlCell(std::move(value));
  }
  std::string value;
  return append_number(value, event, field, slot) ? SqlCell(std::move(value)) : SqlCell();
}

bool identifies(const Measurement& m, const Field& field) {
  const auto fields = identity_fields(m.name);
  return std::find(fields.begin(), fields.end(), field.name) != fields.end();
}

bool is_long(const Measurement& m, const Field& field) {
  return field.type != Type::text && field.sql().starts_with(m.long_form->prefix);
}

// With microseconds, rounded down: PostgreSQL keeps no more.
std::string timestamp(std::int64_t wall_ns) {
  const UtcTime t = utc(wall_ns);
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}.{:06}+00", t.year, t.month, t.day, t.hour, t.minute,
                     t.second, t.nanosecond / 1000);
}

}  // namespace

SqlTable sql_table(const Measurement& m) {
  SqlTable table{"mikroscope_" + (m.long_form ? m.long_form->measurement : m.name), {}};
  for (const model::Key& key : m.keys)
    table.columns.push_back({key.name, key.text ? kText : kBigint, !key.label});
  if (m.long_form) {
    const bool whole = std::none_of(m.fields.begin(), m.fields.end(),
                                    [&](const Field& f) { return is_long(m, f) && f.type != Type::integer; });
    // What is behind a prefix is a number: order_0.
    table.columns.push_back({m.long_form->key, m.long_form->prefix.empty() ? kText : kBigint, true});
    table.columns.push_back(
        {m.long_form->value, whole ? kBigint : std::string_view("DOUBLE PRECISION"), false});
    return table;
  }
  for (const Field& field : m.fields)
    table.columns.push_back({field.sql(), type_of(field), identifies(m, field)});
  return table;
}

std::vector<SqlRows> sql_rows(std::span<const model::Event> events) {
  std::vector<SqlRows> all;
  // Measurements of the same name may differ: rows go together only where all columns are the same.
  std::map<const Measurement*, std::size_t> index;
  std::map<std::string, std::size_t> by_columns;
  for (const model::Event& event : events) {
    if (!event.shape) continue;
    const std::string time = timestamp(event.wall_ns);
    const std::string host = clean(event.origin ? event.origin->host : "");
    for (const model::ShapeTable& table : event.shape->tables()) {
      const Measurement& m = *table.measurement;
      auto at = index.find(&m);
      if (at == index.end()) {
        SqlTable sql = sql_table(m);
        const auto [known, added] = by_columns.try_emplace(sql.name + column_list(sql), all.size());
        if (added) all.push_back({std::move(sql), {}});
        at = index.emplace(&m, known->second).first;
      }
      auto& rows = all[at->second].rows;
      for (std::size_t row = 0; row < table.rows.size(); ++row) {
        if (!row_stored(event, table, row)) continue;
        std::vector<SqlCell> cells = {time, host};
        for (std::size_t k = 0; k < m.keys.size(); ++k)
          cells.push_back(key_cell(m.keys[k], table.rows[row].keys[k]));
        for (std::uint32_t f = 0; f < table.columns(); ++f) {
          const Field& field = m.fields[f];
          SqlCell cell = field_cell(event, field, table.slot(row, f));
          if (!m.long_form) {
            if (!cell && identifies(m, field)) cell = "0";
            cells.push_back(std::move(cell));
          } else if (cell && is_long(m, field)) {
            std::vector<SqlCell> one = cells;
            one.push_back(field.sql().substr(m.long_form->prefix.size()));
            one.push_back(std::move(cell));
            rows.push_back(std::move(one));
          }
        }
        if (!m.long_form) rows.push_back(std::move(cells));
      }
    }
  }
  std::erase_if(all, [](const SqlRows& r) { return r.rows.empty(); });
  return all;
}

std::string sql_name(std::string_view identifier) {
  std::string out = "\"";
  for (const char c : clean(identifier)) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + '"';
}

std::string sql_literal(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("''") : std::string(1, c);
  return out + '\'';
}

std::string create_table(const SqlTable& table) {
  std::string out = "CREATE TABLE IF NOT EXISTS " + sql_name(table.name) +
                    " (\"time\" TIMESTAMPTZ NOT NULL, \"host\" TEXT NOT NULL";
  std::string primary = "\"time\", \"host\"";
  for (const SqlColumn& column : table.columns) {
    out += fmt::format(", {} {}{}", sql_name(column.name), column.type, column.primary ? " NOT NULL" : "");
    if (column.primary) primary += ", " + sql_name(column.name);
  }
  return out + ", PRIMARY KEY (" + primary + "));";
}

std::string add_columns(const SqlTable& table, std::span<const SqlColumn> columns) {
  std::string out = "ALTER TABLE " + sql_name(table.name);
  for (std::size_t i = 0; i < columns.size(); ++i)
    out += fmt::format("{} ADD COLUMN IF NOT EXISTS {} {}", i == 0 ? "" : ",", sql_name(columns[i].name),
                       columns[i].type);
  return out + ";";
}

std::string column_list(const SqlTable& table) {
  std::string out = "\"time\", \"host\"";
  for (const SqlColumn& column : table.columns) out += ", " + sql_name(column.name);
  return out;
}

std::vector<std::string> timescale_statements(const SqlTable& table, const Timescale& options) {
  std::vector<std::string> out;
  if (!options.hypertables) return out;
  const std::string name = sql_literal(sql_name(table.name));
  out.push_back(fmt::format(
      "SELECT create_hypertable({}, 'time', if_not_exists => TRUE, migrate_data => TRUE);", name));
  if (!options.compress_after.empty()) {
    out.push_back(
        fmt::format("ALTER TABLE {} SET (timescaledb.compress, timescaledb.compress_segmentby = 'host');",
                    sql_name(table.name)));
    out.push_back(fmt::format("SELECT add_compression_policy({}, INTERVAL {}, if_not_exists => TRUE);", name,
                              sql_literal(options.compress_after)));
  }
  if (!options.retention.empty())
    out.push_back(fmt::format("SELECT add_retention_policy({}, INTERVAL {}, if_not_exists => TRUE);", name,
                              sql_literal(options.retention)));
  return out;
}

bool is_interval(std::string_view text) {
  if (text.empty() || text[0] < '1' || text[0] > '9') return false;
  return std::all_of(text.begin(), text.end(), [](char c) {
    return c == ' ' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  });
}

}  // namespace mikroscope::sinks
