// Events as streams of Loki.
#pragma once

#include <span>
#include <string>

#include "model/event.h"

namespace mikroscope::sinks {

// The body of a push; empty where nothing is to be sent. Streams are {host, source, level}; source is kmsg
// for the kernel log, else the measurement. Repeats are left out. Entries of one stream never have the same
// time: the n-th row of an event is n ns later.
std::string loki_push(std::span<const model::Event> events, bool metrics);

// value, or "value" where it has spaces, quotes, = or control characters.
std::string logfmt_value(std::string_view value);

}  // namespace mikroscope::sinks
