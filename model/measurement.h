// What stores see: measurements with keys and fields. Tables of the kernel tier become measurements by their
// schema (sinks/kernel), the RouterOS tier and the collector itself declare theirs. Every sink iterates over
// these and names no field by hand.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "proc/schema.h"

namespace mikroscope::model {

enum class Kind : std::uint8_t {
  delta,    // what a counter grew by over the event's interval; Event::totals may have the running total
  running,  // a counter's running total as its device tells it; it may start over
  level,
};

enum class Type : std::uint8_t {
  integer,  // the cell
  decimal,  // the cell / 10^decimals
  real,     // the cell holds the bits of a double
  boolean,  // the cell is 0 or 1
  text,     // the cell is an index into Event::texts
};

struct Field {
  std::string name;  // as stores call it, unit included: total_kb, busy_ratio
  Kind kind = Kind::level;
  Type type = Type::integer;
  proc::Unit unit = proc::Unit::none;
  std::uint8_t decimals = 0;
  bool derived = false;  // computed from other fields of the same event
  std::string help;
  std::string sql_name = {};  // where `name` is a reserved word or has another name there; empty: name

  const std::string& sql() const { return sql_name.empty() ? name : sql_name; }
};

struct Key {
  std::string name;
  bool text = true;    // else decimal digits
  bool label = false;  // describes the row without being part of what identifies it; empty means none
  std::string help;
};

// Stores with fixed columns keep a measurement with fields that differ between devices as one row per field.
struct LongForm {
  std::string measurement;  // api_ifcounter
  std::string key;          // counter: the name of a field, without `prefix`
  std::string value;        // value
  std::string prefix = {};  // order_
};

struct Measurement {
  std::string name;  // without the prefix mikroscope_
  std::vector<Key> keys;
  std::vector<Field> fields;
  std::string help;
  bool log = false;     // an event with a text: what log stores take. Its text is the field `message`
  bool sparse = false;  // rows whose fields are all 0 say nothing and are not stored
  std::optional<LongForm> long_form = {};
  std::string wire_table = {};  // the agent's table that it was made of cell by cell; empty: none

  int field(std::string_view name) const;  // -1: none
};

using MeasurementPtr = std::shared_ptr<const Measurement>;

// mikroscope_<name>
std::string store_name(const Measurement& measurement);

}  // namespace mikroscope::model
