// How the agent's tables appear in stores: names, and what else a measurement has. Tables and columns that
// are not named here appear under their own names.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "model/measurement.h"
#include "proc/schema.h"

namespace mikroscope::sinks {

// The measurement of an agent's table, derived columns (proc/reader/derived.h) behind its own, then dt_ns
// where stores have it.
model::MeasurementPtr store_measurement(const proc::Schema& schema);

// What else is stored of an agent's table: sums over its last keys, of its first column. irq, the interrupts
// of each line on all cores, comes of irq_cpu. Null: nothing.
model::MeasurementPtr summed_measurement(std::string_view table);
// sample: number, interval and monotonic clock of every sample.
const model::MeasurementPtr& sample_measurement();

// Events of the kernel tier that are no samples: restart, trigger, and the kernel log twice, counted for
// metric stores (kmsg) and with its text (event).
const model::MeasurementPtr& restart_measurement();
const model::MeasurementPtr& trigger_measurement();
const model::MeasurementPtr& kmsg_measurement();
const model::MeasurementPtr& log_measurement();

// Everything of the kernel tier, for pages and for rules.
std::vector<model::MeasurementPtr> kernel_measurements();

}  // namespace mikroscope::sinks
