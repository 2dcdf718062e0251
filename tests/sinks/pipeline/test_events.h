// Small events for tests of the pipeline: one measurement, one number.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "model/event_builder.h"

namespace mikroscope::sinks::test {

inline const model::MeasurementPtr& tick() {
  static const model::MeasurementPtr m = std::make_shared<const model::Measurement>(model::Measurement{
      "tick",
      {},
      {{"n", model::Kind::level, model::Type::integer, proc::Unit::none, 0, false, "a number", {}}},
      "a number"});
  return m;
}

// Samples first..last of `host`, each with its number as the value.
inline std::vector<model::Event> samples(const std::string& host, std::uint64_t first, std::uint64_t last,
                                         const std::string& instance = "one") {
  const auto origin = std::make_shared<const model::Origin>(model::Origin{host, instance, "boot"});
  std::vector<model::Event> events;
  for (std::uint64_t seq = first; seq <= last; ++seq) {
    model::EventBuilder builder(model::EventKind::sample, origin,
                                1'789'000'000'000'000'000 + static_cast<std::int64_t>(seq) * 100'000'000);
    builder.row(tick()).integer("n", static_cast<std::int64_t>(seq));
    builder.head().seq = seq;
    events.push_back(builder.finish());
  }
  return events;
}

}  // namespace mikroscope::sinks::test
