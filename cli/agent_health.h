// What a running agent's memory says about the health of its router: loops, flapping links, lost packets.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/host/result.h"
#include "cli/agent_link.h"
#include "proc/reader/item.h"

namespace mikroscope::cli {

struct HealthFinding {
  enum class Level : std::uint8_t { ok, warn, skip };
  std::string_view name;   // "layer-2-loop"
  std::string_view title;  // "no frame came back to where it left"
  Level level = Level::ok;
  std::string evidence;
  std::string fix;  // with warn
};

// Counts over the items of a pull.
class HealthEye {
 public:
  void take(const proc::Item& item);
  // `kernel_log`: the agent can read it; without it three of the findings are skipped.
  std::vector<HealthFinding> findings(bool kernel_log) const;
  std::uint64_t samples() const { return samples_; }
  std::int64_t span_ns() const;  // of the samples, on the agent's CLOCK_BOOTTIME

 private:
  struct Port {
    std::uint64_t own_address = 0;
    std::uint64_t learning = 0;
    std::uint64_t forwarding = 0;
    std::uint64_t link_downs = 0;
  };
  void softnet(const proc::Frame& frame);

  std::map<std::string, Port> ports_;
  std::map<std::int64_t, std::uint64_t> drops_;  // by CPU
  bool softnet_seen_ = false;
  std::uint64_t samples_ = 0;
  std::int64_t first_ns_ = 0;
  std::int64_t last_ns_ = 0;
};

struct AgentHealth {
  Health health;
  std::vector<HealthFinding> findings;
  std::uint64_t samples = 0;
  std::int64_t span_ns = 0;
  bool all = true;  // the agent's whole memory was read
};
// Reads the newest of the agent's memory: at most 10 000 samples, and for some seconds at most.
base::Result<AgentHealth> read_agent_health(AgentLink& link);

}  // namespace mikroscope::cli
