// Graphite: carbon's plaintext protocol.
#pragma once

#include "sinks/pipeline/sink_def.h"

namespace mikroscope::sinks {

extern const SinkDef kGraphiteSink;

}  // namespace mikroscope::sinks
