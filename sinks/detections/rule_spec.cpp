#include "sinks/detections/rule_spec.h"

#include <fmt/format.h>

#include <set>

#include "sinks/detections/detection.h"

namespace mikroscope::sinks {
namespace {

// Longer ones first.
constexpr RuleOperatorText kOperators[] = {
    {">=", RuleOperator::greater_equal}, {"<=", RuleOperator::less_equal}, {"==", RuleOperator::equal},
    {"!=", RuleOperator::not_equal},     {">", RuleOperator::greater},     {"<", RuleOperator::less}};

}  // namespace

std::span<const RuleOperatorText> rule_operators() {
  return kOperators;
}

std::string printable(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  }
  return out;
}

std::string RuleSpec::needs() const {
  std::string names;
  std::set<std::string_view> seen;
  for (const RuleField& field : fields) {
    if (seen.insert(field.measurement).second) names += (names.empty() ? "" : ", ") + field.measurement;
  }
  return names;
}

bool holds(RuleOperator op, double left, double right) {
  switch (op) {
    case RuleOperator::greater:
      return left > right;
    case RuleOperator::greater_equal:
      return left >= right;
    case RuleOperator::less:
      return left < right;
    case RuleOperator::less_equal:
      return left <= right;
    case RuleOperator::equal:
      return left == right;
    case RuleOperator::not_equal:
      return left != right;
  }
  return false;
}

std::string_view operator_text(RuleOperator op) {
  for (const RuleOperatorText& each : kOperators) {
    if (each.op == op) return each.text;
  }
  return {};
}

base::Result<std::vector<RuleSpec>> parse_rules(std::span<const std::string> texts,
                                                std::span<const model::MeasurementPtr> known) {
  std::vector<RuleSpec> specs;
  std::set<std::string, std::less<>> names;
  for (const DetectionDef* def : all_detections()) names.emplace(def->name);
  for (const std::string& text : texts) {
    base::Result<RuleSpec> spec = parse_rule(text, known);
    if (!spec.ok()) return std::move(spec).error();
    if (!names.insert(spec->name).second)
      return base::Error{
          fmt::format("rule \"{}\": there is a rule named {} already", printable(text), spec->name),
          "give it another name", base::Exit::usage};
    specs.push_back(*std::move(spec));
  }
  return specs;
}

}  // namespace mikroscope::sinks
