// A rule of the user, read and checked but not yet run:
//   NAME: [any|all|sum|max|min|mean] EXPRESSION (>|>=|<|<=|==|!=) EXPRESSION [for DURATION]
// An expression is of numbers, + - * / and parentheses, fields (cpu.busy_ratio, cpu[0].user,
// perf[cycles,2].count, irq[name=eth0].count) and rate(FIELD), which is per second.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/host/result.h"
#include "model/measurement.h"

namespace mikroscope::sinks {

// One field of some rows of a measurement.
struct RuleField {
  struct Select {
    std::string key;  // its name; empty: by position
    std::string value;
  };
  std::string measurement;
  std::string field;
  std::vector<Select> select;  // all must fit; at a position, the value * fits everything
  bool rate = false;           // per second
};

struct RuleNode {
  enum class What : std::uint8_t { number, field, add, subtract, multiply, divide };
  What what = What::number;
  double number = 0;
  std::size_t field = 0;  // of RuleSpec::fields
  std::size_t left = 0;   // of RuleSpec::nodes
  std::size_t right = 0;
};

enum class RuleAggregate : std::uint8_t { any, all, sum, max, min, mean };
enum class RuleOperator : std::uint8_t { greater, greater_equal, less, less_equal, equal, not_equal };

struct RuleSpec {
  std::string name;
  std::string text;  // behind the name
  std::vector<RuleField> fields;
  std::vector<RuleNode> nodes;
  std::size_t left = 0;
  std::size_t right = 0;
  RuleAggregate aggregate = RuleAggregate::any;
  RuleOperator op = RuleOperator::greater;
  std::int64_t for_ns = 0;

  // The measurements: "cpu, api_iface".
  std::string needs() const;
};

struct RuleOperatorText {
  std::string_view text;
  RuleOperator op;
};
std::span<const RuleOperatorText> rule_operators();  // >= stands before >
bool holds(RuleOperator op, double left, double right);
std::string_view operator_text(RuleOperator op);

// Control characters replaced: a rule in an error is one line.
std::string printable(std::string_view text);

// `known` are the measurements there are; empty: any name may turn out to exist. Measurements with a long
// form have fields that only their devices know, and those are not checked. Errors are Exit::usage, say where
// in the text, and name what is near.
base::Result<RuleSpec> parse_rule(std::string_view text, std::span<const model::MeasurementPtr> known);

// Several, with names that are no detection's and no two the same.
base::Result<std::vector<RuleSpec>> parse_rules(std::span<const std::string> texts,
                                                std::span<const model::MeasurementPtr> known = {});

}  // namespace mikroscope::sinks
