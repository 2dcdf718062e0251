// Prometheus scrapes the collector: GET /metrics.
#pragma once

#include "sinks/pipeline/sink_def.h"

namespace mikroscope::sinks {

extern const SinkDef kPrometheusSink;

}  // namespace mikroscope::sinks
