// Samples that a store will not get, as events of its own timeline.
#pragma once

#include <cstdint>
#include <string_view>

#include "model/event.h"

namespace mikroscope::sinks {

const model::MeasurementPtr& gap_measurement();

// Samples from..to of `origin` are lost, and why: the same words wherever it is noticed.
model::Event gap_event(const model::OriginPtr& origin, std::uint64_t from, std::uint64_t to,
                       std::string_view reason, std::int64_t wall_ns);

}  // namespace mikroscope::sinks
