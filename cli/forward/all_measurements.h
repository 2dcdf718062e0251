// Everything that may be stored: what rules can name, and what the pages list.
#pragma once

#include <vector>

#include "model/measurement.h"

namespace mikroscope::cli {

std::vector<model::MeasurementPtr> all_measurements();

}  // namespace mikroscope::cli
