// Every sink there is: each is defined in a file of its own, and registry.cpp lists them.
#pragma once

#include "sinks/pipeline/sink_def.h"

namespace mikroscope::sinks {

extern const SinkDef kInfluxSink;
extern const SinkDef kPrometheusSink;
extern const SinkDef kRemoteWriteSink;
extern const SinkDef kOtlpSink;
extern const SinkDef kGraphiteSink;

}  // namespace mikroscope::sinks
