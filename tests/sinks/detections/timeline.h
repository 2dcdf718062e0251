// A router's timeline for tests of detections: lines of an agent go through the kernel tier into a detector.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "proc/reader/reader.h"
#include "sinks/detections/detector.h"
#include "sinks/kernel/kernel_events.h"

namespace mikroscope::sinks::test {

struct Hit {
  std::string rule, key;
  double value = 0, threshold = 0;
  std::int64_t wall_ns = 0;
  std::string message;
};

class Timeline {
 public:
  explicit Timeline(std::vector<RuleSpec> rules = {}) : detector(rules) {}

  void line(const std::string& text) {
    reader_.feed(text + "\n");
    std::vector<model::Event> events;
    while (const auto item = reader_.next()) kernel_.take(*item, wall_ns, events);
    for (const model::Event& event : events) see(event);
  }
  void see(const model::Event& event) {
    std::vector<model::Event> more;
    detector.see(event, more);
    for (const model::Event& e : more) {
      const model::ShapeTable& t = e.shape->tables()[0];
      const auto column = static_cast<std::size_t>(t.measurement->field("message"));
      const auto& keys = t.rows[0].keys;
      hits.push_back({keys[0], keys[1], model::find_number(e, "detection", keys, "value").value_or(-1),
                      model::find_number(e, "detection", keys, "threshold").value_or(-1), e.wall_ns,
                      std::string(e.text(t.slot(0, column)))});
    }
  }
  void sample(const std::string& tables) {
    boot_ns += dt_ns;
    wall_ns += dt_ns;
    ++seq;
    line(fmt::format(R"({{"seq":{},"boot_ns":{},"wall_ns":{},"dt_ns":{},{}}})", seq, boot_ns, wall_ns, dt_ns,
                     tables));
  }
  void begin(const std::string& instance, const std::string& boot) { kernel_.begin(instance, boot); }
  std::vector<Hit> of(std::string_view rule) const {
    std::vector<Hit> some;
    for (const Hit& hit : hits) {
      if (hit.rule == rule) some.push_back(hit);
    }
    return some;
  }
  RuleCounts counts(std::string_view rule) const {
    for (const RuleCounts& c : detector.counts()) {
      if (c.rule == rule) return c;
    }
    return {};
  }

  std::uint64_t seq = 0;
  std::int64_t boot_ns = 1'000'000'000'000;
  std::int64_t wall_ns = 1'789'000'000'000'000'000;
  std::int64_t dt_ns = 1'000'000'000;
  Detector detector;
  std::vector<Hit> hits;

 private:
  proc::NdjsonReader reader_;
  KernelEvents kernel_{"router"};
};

}  // namespace mikroscope::sinks::test
