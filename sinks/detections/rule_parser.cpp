#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "base/host/duration.h"
#include "base/host/suggest.h"
#include "base/text.h"
#include "sinks/detections/detection.h"
#include "sinks/detections/rule_spec.h"

namespace mikroscope::sinks {
namespace {

constexpr std::size_t kMaxText = 1000;
constexpr std::size_t kMaxName = 64;
constexpr std::size_t kMaxNodes = 64;
constexpr int kMaxDepth = 32;
constexpr std::string_view kForm = "NAME: MEASUREMENT.FIELD > NUMBER for 2s";

struct Named {
  std::string_view word;
  RuleAggregate aggregate;
};
constexpr Named kAggregates[] = {{"any", RuleAggregate::any}, {"all", RuleAggregate::all},
                                 {"sum", RuleAggregate::sum}, {"max", RuleAggregate::max},
                                 {"min", RuleAggregate::min}, {"mean", RuleAggregate::mean}};

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

std::string near_or_all(std::string_view word, const std::vector<std::string>& names, std::string_view what) {
  const std::string near = base::closest(word, names);
  if (!near.empty()) return fmt::format("did you mean {}?", near);
  if (names.empty()) return fmt::format("there are no {}", what);
  return fmt::format("{}: {}", what, fmt::join(names, ", "));
}

class Parser {
 public:
  Parser(std::string_view text, std::span<const model::MeasurementPtr> known) : text_(text), known_(known) {}

  base::Result<RuleSpec> parse() {
    if (text_.size() > kMaxText) {
      text_ = text_.substr(0, 40);
      fail(0, "the rule is too long", fmt::format("at most {} characters", kMaxText));
    } else if (name() && condition()) {
      return std::move(spec_);
    }
    return std::move(error_);
  }

 private:
  bool fail(std::size_t at, std::string what, std::string fix) {
    if (!error_.what.empty()) return false;
    const std::string_view rest = text_.substr(std::min(at, text_.size()));
    error_ = {fmt::format("rule \"{}\", character {}: {} {}", printable(text_), at + 1, what,
                          rest.empty() ? "at the end" : fmt::format("at \"{}\"", printable(rest))),
              std::move(fix), base::Exit::usage};
    return false;
  }
  void blanks() {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
  }
  bool take(std::string_view token) {
    blanks();
    if (text_.substr(at_, token.size()) != token) return false;
    at_ += token.size();
    return true;
  }
  std::string_view word() {
    blanks();
    const std::size_t from = at_;
    if (at_ < text_.size() && is_letter(text_[at_])) {
      while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]))) ++at_;
    }
    return text_.substr(from, at_ - from);
  }

  bool name() {
    const std::size_t colon = text_.find(':');
    if (colon == std::string_view::npos)
      return fail(text_.size(), "the name is missing: there is no colon", std::string(kForm));
    const std::string_view name = base::trim(text_.substr(0, colon));
    const bool good =
        !name.empty() && name.size() <= kMaxName &&
        std::all_of(name.begin(), name.end(), [](char c) { return is_letter(c) || is_digit(c) || c == '-'; });
    if (!good) return fail(0, "this is no name: it must be of letters, digits, - and _,", std::string(kForm));
    spec_.name = name;
    spec_.text = printable(base::trim(text_.substr(colon + 1)));
    at_ = colon + 1;
    return true;
  }

  bool condition() {
    aggregate();
    if (!sum(spec_.left, 0)) return false;
    const std::size_t at_operator = (blanks(), at_);
    const RuleOperatorText* op = nullptr;
    for (const RuleOperatorText& candidate : rule_operators()) {
      if (op == nullptr && take(candidate.text)) op = &candidate;
    }
    if (op == nullptr) return fail(at_operator, "a comparison is missing", "one of > >= < <= == !=");
    spec_.op = op->op;
    const std::size_t fields = spec_.fields.size();
    if (fields == 0) return fail(at_operator, "there is no field before the comparison", std::string(kForm));
    const std::size_t right_at = (blanks(), at_);
    if (!sum(spec_.right, 0)) return false;
    if (spec_.aggregate > RuleAggregate::all && spec_.fields.size() > fields)
      return fail(right_at, "a sum, max, min or mean is compared with a number, not with a field",
                  "divide on the left instead: sum slab.active / 1000 > 5");
    return duration();
  }

  void aggregate() {
    const std::size_t from = at_;
    const std::string_view first = word();
    blanks();
    const bool field = at_ < text_.size() && (text_[at_] == '.' || text_[at_] == '[');
    for (const Named& named : kAggregates) {
      if (first == named.word && !field) {
        spec_.aggregate = named.aggregate;
        return;
      }
    }
    at_ = from;
  }

  bool duration() {
    blanks();
    if (at_ == text_.size()) return true;
    const std::size_t from = at_;
    if (word() != "for")
      return fail(from, "the rule is over here, or goes on with \"for DURATION\",", "... for 2s");
    blanks();
    const auto ns = base::parse_duration(base::trim(text_.substr(at_)));
    if (!ns.ok()) return fail(at_, "this is no span of time", "2s, 500ms, 1m30s");
    spec_.for_ns = *ns;
    return true;
  }

  bool add_node(RuleNode node, std::size_t& out) {
    if (spec_.nodes.size() >= kMaxNodes)
      return fail(at_, "the rule has too many parts", fmt::format("at most {}", kMaxNodes));
    out = spec_.nodes.size();
    spec_.nodes.push_back(node);
    return true;
  }

  bool sum(std::size_t& out, int depth) {
    if (!product(out, depth)) return false;
    for (;;) {
      RuleNode node;
      if (take("+")) {
        node.what = RuleNode::What::add;
      } else if (take("-")) {
        node.what = RuleNode::What::subtract;
      } else {
        return true;
      }
      node.left = out;
      if (!product(node.right, depth) || !add_node(node, out)) return false;
    }
  }

  bool product(std::size_t& out, int depth) {
    if (!unit(out, depth)) return false;
    for (;;) {
      RuleNode node;
      if (take("*")) {
        node.what = RuleNode::What::multiply;
      } else if (take("/")) {
        node.what = RuleNode::What::divide;
      } else {
        return true;
      }
      node.left = out;
      if (!unit(node.right, depth) || !add_node(node, out)) return false;
    }
  }

  bool unit(std::size_t& out, int depth) {
    blanks();
    if (depth > kMaxDepth) return fail(at_, "too many parentheses", fmt::format("at most {}", kMaxDepth));
    if (take("(")) {
      if (!sum(out, depth + 1)) return false;
      return take(")") || fail(at_, "a ) is missing", "");
    }
    if (at_ < text_.size() && (is_digit(text_[at_]) || text_[at_] == '.' || text_[at_] == '-'))
      return number(out);
    return field(out);
  }

  bool number(std::size_t& out) {
    RuleNode node;
    const char* const begin = text_.data() + at_;
    const auto [end, status] = std::from_chars(begin, text_.data() + text_.size(), node.number);
    if (status != std::errc() || !std::isfinite(node.number))
      return fail(at_, "this is no number", "0.95, -3, 1e6");
    at_ += static_cast<std::size_t>(end - begin);
    return add_node(node, out);
  }

  bool field(std::size_t& out) {
    const std::size_t from = (blanks(), at_);
    RuleField field;
    std::string_view first = word();
    if (first == "rate" && take("(")) {
      field.rate = true;
      first = word();
    }
    const std::size_t measurement_at = at_ - first.size();
    if (first.empty())
      return fail(from, "a number or a field is missing",
                  "fields are written MEASUREMENT.FIELD: cpu.busy_ratio");
    field.measurement = first;
    if (take("[") && !selection(field)) return false;
    if (!take(".")) return fail(at_, fmt::format("the field of {} is missing", first), fields_of(first));
    const std::size_t field_at = (blanks(), at_);
    field.field = word();
    if (field.field.empty())
      return fail(field_at, fmt::format("the field of {} is missing", first), fields_of(first));
    if (!check(field, measurement_at, field_at)) return false;
    if (field.rate && !take(")")) return fail(at_, "a ) is missing", "rate(softnet.dropped)");
    RuleNode node;
    node.what = RuleNode::What::field;
    node.field = spec_.fields.size();
    spec_.fields.push_back(std::move(field));
    return add_node(node, out);
  }

  bool selection(RuleField& field) {
    do {
      RuleField::Select select;
      if (!value(select.value)) return false;
      if (take("=")) {
        select.key = std::move(select.value);
        if (!value(select.value)) return false;
      } else if (!field.select.empty() && !field.select.back().key.empty()) {
        return fail(at_, "a value without a name can not follow one with a name",
                    "irq[37] or irq[name=eth0]");
      }
      field.select.push_back(std::move(select));
    } while (take(","));
    return take("]") || fail(at_, "a ] is missing", "cpu[0].busy_ratio");
  }

  bool value(std::string& out) {
    blanks();
    const std::size_t from = at_;
    if (take("\"")) {
      while (at_ < text_.size() && text_[at_] != '"') {
        if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
        out.push_back(text_[at_++]);
      }
      return take("\"") || fail(from, "the quotation mark is not closed", "");
    }
    while (at_ < text_.size() && text_[at_] != ',' && text_[at_] != ']' && text_[at_] != '=') ++at_;
    out = base::trim(text_.substr(from, at_ - from));
    return !out.empty() || fail(from, "a key's value is missing", "cpu[0].busy_ratio");
  }

  const model::Measurement* find(std::string_view name) const {
    for (const model::MeasurementPtr& m : known_) {
      if (m->name == name) return m.get();
    }
    return nullptr;
  }
  std::string fields_of(std::string_view measurement) const {
    const model::Measurement* const m = find(measurement);
    if (m == nullptr) return "cpu.busy_ratio";
    std::vector<std::string> names;
    for (const model::Field& f : m->fields) names.push_back(f.name);
    return fmt::format("fields of {}: {}", m->name, fmt::join(names, ", "));
  }

  bool check(const RuleField& field, std::size_t measurement_at, std::size_t field_at) {
    if (known_.empty()) return true;
    const model::Measurement* const m = find(field.measurement);
    if (m == nullptr) {
      std::vector<std::string> names;
      for (const model::MeasurementPtr& each : known_) names.push_back(each->name);
      return fail(measurement_at, fmt::format("there is no measurement {}", field.measurement),
                  near_or_all(field.measurement, names, "measurements"));
    }
    std::vector<std::string> keys;
    for (const model::Key& key : m->keys) keys.push_back(key.name);
    std::size_t positions = 0;
    for (const RuleField::Select& select : field.select) {
      positions += select.key.empty() ? 1 : 0;
      if (select.key.empty() ? positions <= keys.size()
                             : std::find(keys.begin(), keys.end(), select.key) != keys.end())
        continue;
      return fail(measurement_at,
                  select.key.empty() ? fmt::format("{} has {} keys", m->name, keys.size())
                                     : fmt::format("{} has no key {}", m->name, select.key),
                  near_or_all(select.key, keys, fmt::format("keys of {}", m->name)));
    }
    const int column = m->field(field.field);
    if (column < 0) {
      if (m->long_form) return true;
      std::vector<std::string> names;
      for (const model::Field& f : m->fields) names.push_back(f.name);
      return fail(field_at, fmt::format("{} has no field {}", m->name, field.field),
                  near_or_all(field.field, names, fmt::format("fields of {}", m->name)));
    }
    const model::Field& f = m->fields[static_cast<std::size_t>(column)];
    if (f.type == model::Type::text)
      return fail(field_at, fmt::format("{} is a text, and rules compare numbers", f.name),
                  fields_of(m->name));
    if (field.rate && f.kind == model::Kind::level)
      return fail(field_at, fmt::format("{} is a level, and only counters have a rate", f.name),
                  fmt::format("without rate(): {}.{}", m->name, f.name));
    return true;
  }

  std::string_view text_;
  std::span<const model::MeasurementPtr> known_;
  std::size_t at_ = 0;
  RuleSpec spec_;
  base::Error error_;
};

}  // namespace

base::Result<RuleSpec> parse_rule(std::string_view text, std::span<const model::MeasurementPtr> known) {
  return Parser(text, known).parse();
}

}  // namespace mikroscope::sinks
