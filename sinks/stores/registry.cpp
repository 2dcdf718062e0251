#include "sinks/stores/registry.h"

namespace mikroscope::sinks {
namespace {

// In the order in which help and pages show them.
const SinkDef* const kSinks[] = {
    &kFileSink,         //
    &kStdoutSink,       //
    &kInfluxSink,       //
    &kTelegrafSink,     //
    &kPrometheusSink,   //
    &kRemoteWriteSink,  //
    &kOtlpSink,         //
    &kGraphiteSink,     //
    &kLokiSink,         //
    &kElasticSink,      //
    &kSqlSink,          //
    &kPostgresSink,     //
    &kKafkaSink,        //
};

}  // namespace

std::span<const SinkDef* const> all_sinks() {
  return kSinks;
}

}  // namespace mikroscope::sinks
