// What an agent says of its machine and of itself, as events.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/event.h"

namespace mikroscope::cli {

// Measurements device and device_cadence of the text of /capabilities; nullopt: it is none.
std::optional<model::Event> device_event(const model::OriginPtr& origin, std::int64_t wall_ns,
                                         const std::string& capabilities);
// Measurements sampler, trigger_count and capture_refused of the text of /sampler.
std::optional<model::Event> sampler_event(const model::OriginPtr& origin, std::int64_t wall_ns,
                                          const std::string& sampler);

std::vector<model::MeasurementPtr> agent_report_measurements();

}  // namespace mikroscope::cli
