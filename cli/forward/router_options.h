// What each router of a collector may have for itself, and what runs beside its worker.
#pragma once

#include <memory>

#include "cli/forward/collector.h"
#include "cli/forward/targets.h"

namespace mikroscope::cli {

std::unique_ptr<PerRouter> make_router_options();
// Detections and rules of the router's options.
MakeStage router_stage();
// The RouterOS tier, for targets that are routers.
MakeSide router_side();

}  // namespace mikroscope::cli
