// Samples that a store will not get, as events of its own timeline.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "model/event.h"

namespace mikroscope::sinks {

const model::MeasurementPtr& gap_measurement();

// Samples from..to of `origin` are lost, and why: the same words wherever it is noticed.
model::Event gap_event(const model::OriginPtr& origin, std::uint64_t from, std::uint64_t to,
                       std::string_view reason, std::int64_t wall_ns);

// What a gap event tells of; nullopt: it is none.
std::optional<std::pair<std::uint64_t, std::uint64_t>> gap_range(const model::Event& event);

}  // namespace mikroscope::sinks
