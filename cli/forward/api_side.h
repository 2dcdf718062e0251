// The RouterOS tier beside a router's worker: a thread and a session of its own.
#pragma once

#include <memory>

#include "cli/forward/collector.h"
#include "routeros/tier/options.h"

namespace mikroscope::cli {

std::unique_ptr<SideWorker> make_api_side(RouterWorker& worker, const routeros::ApiTierOptions& options,
                                          const sinks::Say& say);

}  // namespace mikroscope::cli
