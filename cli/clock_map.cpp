#include "cli/clock_map.h"

#include <nlohmann/json.hpp>
#include <string>

#include "base/host/files.h"
#include "base/host/utc.h"
#include "base/text.h"

namespace mikroscope::cli {

std::optional<AgentInstant> ClockMap::map(std::int64_t host_boot_ns, std::int64_t host_wall_ns) const {
  const ClockOffset* const offset = newest();
  if (offset == nullptr) return std::nullopt;
  AgentInstant out;
  out.wall_ns = host_wall_ns + offset->wall_offset_ns;
  if (offset->boot_known) out.boot_ns = host_boot_ns + offset->boot_offset_ns;
  return out;
}

nlohmann::ordered_json ClockMap::json() const {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (const ClockOffset& o : offsets_) {
    nlohmann::ordered_json entry{{"host_utc", base::format_utc(o.host_wall_ns, 3)},
                                 {"host_boot_ns", o.host_boot_ns},
                                 {"wall_offset_ns", o.wall_offset_ns},
                                 {"rtt_ns", o.rtt_ns}};
    if (o.boot_known) entry["boot_offset_ns"] = o.boot_offset_ns;
    out.push_back(std::move(entry));
  }
  return out;
}

std::string host_boot_id() {
  const base::Result<std::string> text = base::read_text("/proc/sys/kernel/random/boot_id");
  return text.ok() ? std::string(base::trim(*text)) : std::string();
}

}  // namespace mikroscope::cli
