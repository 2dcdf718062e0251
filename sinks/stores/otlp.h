// OTLP/HTTP: metrics and logs to any OpenTelemetry receiver.
#pragma once

#include "sinks/pipeline/sink_def.h"

namespace mikroscope::sinks {

extern const SinkDef kOtlpSink;

}  // namespace mikroscope::sinks
