// Every sink there is: each is defined in a file of its own, and registry.cpp lists them.
#pragma once

#include "sinks/pipeline/sink_def.h"

namespace mikroscope::sinks {

extern const SinkDef kFileSink;
extern const SinkDef kStdoutSink;
extern const SinkDef kInfluxSink;
extern const SinkDef kTelegrafSink;
extern const SinkDef kPrometheusSink;
extern const SinkDef kRemoteWriteSink;
extern const SinkDef kOtlpSink;
extern const SinkDef kGraphiteSink;
extern const SinkDef kLokiSink;
extern const SinkDef kElasticSink;
extern const SinkDef kSqlSink;
extern const SinkDef kPostgresSink;
extern const SinkDef kKafkaSink;

}  // namespace mikroscope::sinks
