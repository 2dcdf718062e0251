// Measurements as metrics: what stores of time series (Prometheus, OTLP) call a field, which labels tell its
// series apart, and in which unit they want it. Names that users know are in families_rules.cpp; all others
// follow from the measurement, so a table nobody has heard of appears too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/event.h"

namespace mikroscope::sinks {

enum class Naming : std::uint8_t {
  prometheus,  // mikroscope_cpu_ticks_total; base units
  otlp,        // mikroscope.cpu.ticks; units as read, UCUM
};

// Where a metric's value comes from.
enum class From : std::uint8_t {
  total,    // a delta field: its running total, or differences added up where no total is known
  running,  // the cell is a running total of the device
  level,    // the cell
  sum,      // the cell counts something of this event: added up
  rows,     // every row counts one
  info,     // always 1: the row's texts are its labels
};

struct Metric {
  std::string name;
  std::string help;
  std::string unit;  // UCUM
  From from = From::level;
  std::size_t field = 0;
  std::int64_t times = 1;  // the value is cell * times / over
  std::int64_t over = 1;
  std::vector<std::pair<std::string, std::string>> labels;  // the same for all rows
  std::vector<std::pair<std::string, std::size_t>> keys;    // label and the key that gives it
  std::vector<std::pair<std::string, std::size_t>> texts;   // label and the field that gives it (info)
  bool named = false;                                       // only of rows whose first such key is not empty

  bool counter() const { return from != From::level && from != From::info; }
  // Its series stays although nothing is told of it any more.
  bool lasting() const { return from == From::sum || from == From::rows; }
};

// In the order of the measurement's fields. Names are valid in their world; labels are distinct and never
// `host`, which consumers add.
std::vector<Metric> metrics_of(const model::Measurement& measurement, Naming naming);

struct Number {
  bool whole = true;
  std::int64_t integer = 0;
  double real = 0;

  static Number of(std::int64_t v) { return {true, v, 0}; }
  static Number of(double v) { return {false, 0, v}; }
  double as_double() const { return whole ? static_cast<double>(integer) : real; }
};
Number operator+(Number a, Number b);  // saturates
bool operator<(Number a, Number b);
std::string to_text(Number n);  // 12, 0.5, 1e+30: the shortest that reads back the same

struct Reading {
  Number value;
  bool adds = false;  // an increment; else the value itself
  Number increment;   // with adds, where `value` was added up
};
// nullopt: the cell is absent, or says nothing. `differences`: what a delta field grew by, not its total.
std::optional<Reading> read(const model::Event& event, const Metric& metric, const model::ShapeTable& table,
                            std::size_t row, bool differences = false);

// Sorted by label; empty values left out; `host` among them.
using Labels = std::vector<std::pair<std::string, std::string>>;
Labels labels_of(const model::Event& event, const Metric& metric, const model::ShapeTable& table,
                 std::size_t row, std::string_view host_label);

// What is no UTF-8, and NUL, become U+FFFD.
std::string valid_text(std::string_view text);

}  // namespace mikroscope::sinks
