#include "sinks/detections/detector.h"

#include <utility>

#include "sinks/detections/user_rule.h"

namespace mikroscope::sinks {

using model::Event;
using model::EventBuilder;
using model::EventKind;
using model::Field;
using model::Kind;
using model::Type;
using proc::Unit;

struct Detector::Rule {
  RuleCounts counts;
  std::unique_ptr<Detection> detection;
  std::map<std::string, std::int64_t> fired_ns;  // by key
};

namespace {

constexpr std::size_t kMostKeys = 10'000;

Field field(std::string name, Kind kind, Type type, std::string help) {
  return {std::move(name), kind, type, Unit::none, 0, false, std::move(help), {}};
}

}  // namespace

Detector::Detector(const std::vector<RuleSpec>& rules) {
  for (const DetectionDef* def : all_detections()) {
    auto rule = std::make_unique<Rule>();
    rule->counts.rule = def->name;
    rule->counts.needs = def->needs;
    rule->counts.informational = def->informational;
    rule->detection = def->make();
    rules_.push_back(std::move(rule));
  }
  for (const RuleSpec& spec : rules) {
    auto rule = std::make_unique<Rule>();
    rule->counts.rule = spec.name;
    rule->counts.needs = spec.needs();
    rule->detection = std::make_unique<UserRule>(spec);
    rules_.push_back(std::move(rule));
  }
}
Detector::~Detector() = default;

const model::MeasurementPtr& Detector::measurement() {
  static const model::MeasurementPtr m = [] {
    model::Measurement d;
    d.name = "detection";
    d.help = "what rules found";
    d.log = true;
    d.keys = {{"rule", true, false, "its name"},
              {"key", true, false, "what it is about: a port, a zone, cpu2; empty: the router"}};
    d.fields = {
        field("value", Kind::level, Type::real, "what was seen; each rule says of what"),
        field("threshold", Kind::level, Type::real, "what it was compared with"),
        field("seq", Kind::level, Type::integer, "the sample"),
        field("informational", Kind::level, Type::boolean, "nothing that somebody should be woken for"),
        field("message", Kind::level, Type::text, "the same in words, with the evidence")};
    return std::make_shared<const model::Measurement>(std::move(d));
  }();
  return m;
}

const model::MeasurementPtr& Detector::count_measurement() {
  static const model::MeasurementPtr m = [] {
    model::Measurement d;
    d.name = "detection_count";
    d.help = "every rule, also those that never found anything";
    d.keys = {{"rule", true, false, "its name"}};
    d.fields = {field("fired", Kind::running, Type::integer, "findings, since the collector's start"),
                field("suppressed", Kind::running, Type::integer,
                      "findings left out because the same had been found less than 10 s before"),
                field("checked", Kind::level, Type::boolean, "what the rule needs has been there")};
    return std::make_shared<const model::Measurement>(std::move(d));
  }();
  return m;
}

void Detector::begin(const model::Origin& last, std::uint64_t last_seq) {
  Event event;
  event.kind = EventKind::collector;
  event.origin = std::make_shared<const model::Origin>(last);
  event.seq = last_seq;
  Emit emit(0, lead_up_);
  for (const auto& rule : rules_) rule->detection->see(event, emit);
}

Event Detector::make(const Event& of, const Rule& rule, Finding finding) const {
  EventBuilder builder(EventKind::detection, of.origin, of.wall_ns);
  builder.row(measurement(), {rule.counts.rule, std::move(finding.key)})
      .real("value", finding.value)
      .real("threshold", finding.threshold)
      .boolean("informational", rule.counts.informational)
      .text("message", std::move(finding.message));
  if (of.seq != 0) builder.integer("seq", static_cast<std::int64_t>(of.seq));
  builder.head().boot_ns = of.boot_ns;
  builder.head().seq = of.seq;
  return builder.finish();
}

void Detector::see(const Event& event, std::vector<Event>& more) {
  if (event.repeat || event.kind == EventKind::detection || event.kind == EventKind::collector) return;
  const std::int64_t now_ns = clock_.at(event);
  Emit emit(now_ns, lead_up_);
  for (const auto& rule : rules_) {
    rule->detection->see(event, emit);
    if (emit.found().empty()) continue;
    for (Finding& finding : emit.found()) {
      if (rule->fired_ns.size() > kMostKeys) rule->fired_ns.clear();
      const auto [at, first] = rule->fired_ns.try_emplace(finding.key, now_ns);
      if (!first && now_ns < at->second + kRefractoryNs) {
        ++rule->counts.suppressed;
        continue;
      }
      at->second = now_ns;
      ++rule->counts.fired;
      more.push_back(make(event, *rule, std::move(finding)));
    }
    emit.found().clear();
  }
  lead_up_.add(event, now_ns);
}

std::vector<RuleCounts> Detector::counts() const {
  std::vector<RuleCounts> all;
  for (const auto& rule : rules_) {
    all.push_back(rule->counts);
    all.back().checked = rule->detection->checked();
  }
  return all;
}

void Detector::report(EventBuilder& out) const {
  for (const RuleCounts& rule : counts()) {
    out.row(count_measurement(), {rule.rule})
        .integer("fired", static_cast<std::int64_t>(rule.fired))
        .integer("suppressed", static_cast<std::int64_t>(rule.suppressed))
        .boolean("checked", rule.checked);
  }
}

}  // namespace mikroscope::sinks
