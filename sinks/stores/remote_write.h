// Prometheus remote write 1.0: to Prometheus itself, VictoriaMetrics, Mimir, Thanos, …
#pragma once

#include "sinks/pipeline/sink_def.h"

namespace mikroscope::sinks {

extern const SinkDef kRemoteWriteSink;

}  // namespace mikroscope::sinks
