// Which row of which event: what stores that take a thing only once tell duplicates by.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "model/event.h"

namespace mikroscope::sinks {

// Fields that identify a row beside time, host and keys: several gaps or triggers may have one time stamp.
std::span<const std::string_view> identity_fields(std::string_view measurement);

// False: the row has no cell, or is one that says nothing (Measurement::sparse).
bool row_stored(const model::Event& event, const model::ShapeTable& table, std::size_t row);

}  // namespace mikroscope::sinks
