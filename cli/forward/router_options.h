// What each router of a collector may have for itself, and what runs beside its worker.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/forward/collector.h"
#include "cli/forward/targets.h"
#include "routeros/tier/options.h"
#include "sinks/detections/rule_spec.h"

namespace mikroscope::cli {

class RouterOwnOptions final : public PerRouter {
 public:
  void declare(OptionSet& set) override;
  base::Result<void> check() const override;
  base::Result<routeros::ApiTierOptions> tier_options() const;
  base::Result<std::vector<sinks::RuleSpec>> rules() const;
  bool detections() const { return !no_detections_; }

 private:
  std::string api_;
  std::optional<std::int64_t> every_ns_;
  std::optional<std::int64_t> counters_every_ns_;
  std::optional<std::int64_t> labels_every_ns_;
  std::optional<std::int64_t> conntrack_every_ns_;
  std::string interfaces_;
  std::vector<std::string> rules_;
  bool no_detections_ = false;
};

std::unique_ptr<PerRouter> make_router_options();
// Detections and rules of the router's options.
MakeStage router_stage();
// The RouterOS tier, for targets that are routers.
MakeSide router_side();

}  // namespace mikroscope::cli
