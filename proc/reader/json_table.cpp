#include "proc/reader/json_table.h"

#include <algorithm>
#include <vector>

namespace mikroscope::proc {
namespace {

struct Cell {
  std::string name;
  JsonValue value;
  const char* begin;
  const char* end;
};

// The members of one row: keys, and the numbers among the others.
bool read_members(const Schema& schema, JsonScan& in, JsonMembers& keys, std::vector<Cell>& cells,
                  std::string& why) {
  if (!in.consume('{')) {
    why = "a row is no object";
    return false;
  }
  if (in.consume('}')) return true;
  do {
    std::string name;
    JsonValue value;
    if (!in.string(name) || !in.consume(':')) {
      why = "a row is damaged";
      return false;
    }
    const char* const begin = in.position();
    if (!in.scalar(value)) {
      why = "the value of \"" + name + "\" is no number or text";
      return false;
    }
    const bool is_key = std::any_of(schema.keys.begin(), schema.keys.end(),
                                    [&](const KeyColumn& k) { return k.name == name; });
    if (is_key) {
      keys.emplace_back(std::move(name), std::move(value));
    } else if (!value.is_text && !value.is_null) {
      cells.push_back({std::move(name), std::move(value), begin, in.position()});
    }
  } while (in.consume(','));
  if (in.consume('}')) return true;
  why = "a row is cut";
  return false;
}

bool read_row(LearnedTables& learned, std::uint32_t table, const char*& literal, JsonScan& in, Shape& shape,
              std::string& why) {
  JsonMembers keys;
  std::vector<Cell> cells;
  const Schema& schema = *learned.layout().tables[table].schema;
  if (!read_members(schema, in, keys, cells, why)) return false;
  const int row = schema.keys.empty() ? 0 : learned.row_for(table, keys);
  if (row < 0) {
    why = "a row without its keys, or too many rows";
    return false;
  }
  for (const Cell& cell : cells) {
    const int column = learned.column_for(table, cell.name, cell.value);
    if (column < 0) continue;
    const Table& t = learned.layout().tables[table];
    const std::uint8_t decimals = t.schema->columns[static_cast<std::size_t>(column)].decimals;
    const std::uint32_t slot = t.slot(static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(column));
    LearnedTables::Cells& out = learned.cells();
    if (slot >= out.values.size()) continue;
    out.values[slot] = cell.value.scaled(decimals);
    out.present[slot] = 1;
    shape.add_number(literal, cell.begin, cell.end, slot, decimals);
  }
  return true;
}

}  // namespace

bool read_table(LearnedTables& learned, std::uint32_t table, const char* start, JsonScan& in, Shape& shape,
                std::string& why) {
  const char* literal = start;
  if (learned.layout().tables[table].schema->keys.empty()) {
    if (!read_row(learned, table, literal, in, shape, why)) return false;
  } else {
    if (!in.consume('[')) {
      why = "a keyed table is no array";
      return false;
    }
    if (!in.consume(']')) {
      do {
        if (!read_row(learned, table, literal, in, shape, why)) return false;
      } while (in.consume(','));
      if (!in.consume(']')) {
        why = "a table is cut";
        return false;
      }
    }
  }
  shape.table = table;
  shape.text.append(literal, in.position());
  return true;
}

}  // namespace mikroscope::proc
