// The collector about itself: how far each router and each sink is, and what the spool holds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/forward/router_worker.h"
#include "model/event.h"
#include "sinks/pipeline/runner.h"
#include "sinks/pipeline/spool.h"

namespace mikroscope::cli {

struct SelfState {
  std::string host;  // the collector's own
  std::int64_t started_ns = 0;
  std::vector<WorkerCounts> routers;
  std::vector<sinks::SinkCounts> sinks;
  sinks::SpoolCounts spool;
};

// One event for each router (measurement collector_router, under its host), and one for the rest (collector,
// collector_sink, collector_spool, under the collector's).
std::vector<model::Event> self_events(const SelfState& state, std::int64_t wall_ns);
std::vector<model::MeasurementPtr> self_measurements();

// A line for people: totals since the start.
std::string self_line(const SelfState& state);
// The sinks, one line each: for the end.
std::vector<std::string> sink_lines(const SelfState& state);
// JSON for /healthz; `ok` is false while a router or a sink does not work.
std::string self_health(const SelfState& state, bool& ok);

}  // namespace mikroscope::cli
