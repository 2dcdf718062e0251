// From this machine's clocks to the agent's, by measurements over the run.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <vector>

#include "cli/agent_link.h"
#include "plot/markers.h"

namespace mikroscope::cli {

struct AgentInstant {
  std::int64_t wall_ns = 0;
  std::optional<std::int64_t> boot_ns;
};

class ClockMap {
 public:
  void add(const ClockOffset& offset) { offsets_.push_back(offset); }
  void forget() {
    valid_from_ = offsets_.size();
  }  // the agent's machine rebooted: earlier offsets say nothing of it
  bool known() const { return valid_from_ < offsets_.size(); }
  const ClockOffset* newest() const { return known() ? &offsets_.back() : nullptr; }

  // An instant of this machine on the agent's clocks, within rtt/2 of the newest measurement.
  std::optional<AgentInstant> map(std::int64_t host_boot_ns, std::int64_t host_wall_ns) const;

  nlohmann::ordered_json json() const;

 private:
  std::vector<ClockOffset> offsets_;
  std::size_t valid_from_ = 0;
};

// The boot id of this machine's kernel; empty where unknown. With it a later process knows whether its
// CLOCK_BOOTTIME is the one that the offsets were measured with.
std::string host_boot_id();

}  // namespace mikroscope::cli
