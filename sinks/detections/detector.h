// The stage that runs all detections of one router and makes events of what they find.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "model/event_builder.h"
#include "sinks/detections/agent_clock.h"
#include "sinks/detections/detection.h"
#include "sinks/detections/lead_up.h"
#include "sinks/detections/rule_spec.h"

namespace mikroscope::sinks {

struct RuleCounts {
  std::string rule;
  std::string needs;
  bool informational = false;
  bool checked = false;  // what it needs has been there
  std::uint64_t fired = 0;
  std::uint64_t suppressed = 0;  // the same rule and key had fired less than 10 s before
};

class Detector {
 public:
  static constexpr std::int64_t kRefractoryNs = 10'000'000'000;

  // All detections of the registry, then `rules`, whose names must be unique (parse_rules).
  explicit Detector(const std::vector<RuleSpec>& rules = {});
  ~Detector();
  Detector(const Detector&) = delete;
  Detector& operator=(const Detector&) = delete;

  // measurement `detection`
  static const model::MeasurementPtr& measurement();
  // measurement `detection_count`: of each rule, also of those that never fired
  static const model::MeasurementPtr& count_measurement();

  // Where an earlier process of the collector left off: a reboot meanwhile is then seen. Before the first
  // see().
  void begin(const model::Origin& last, std::uint64_t last_seq);
  // Appends an event for each finding, dated as `event` is.
  void see(const model::Event& event, std::vector<model::Event>& more);
  // In the order of the registry, user rules behind it.
  std::vector<RuleCounts> counts() const;
  // Rows of count_measurement().
  void report(model::EventBuilder& out) const;

 private:
  struct Rule;
  model::Event make(const model::Event& of, const Rule& rule, Finding finding) const;

  std::vector<std::unique_ptr<Rule>> rules_;
  AgentClock clock_;
  LeadUp lead_up_;
};

}  // namespace mikroscope::sinks
