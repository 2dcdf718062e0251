// The line that names a memory zone in /proc/buddyinfo and /proc/zoneinfo: "Node 0, zone      DMA" and what
// follows.
#pragma once

#include <string_view>

#include "base/text.h"
#include "proc/layout.h"

namespace mikroscope::proc {

constexpr KeyColumn kZoneKeys[] = {
    {"node", false, false, "the NUMA node's number"},
    {"zone", true, false, "DMA, DMA32, Normal, ..."},
};
constexpr std::uint32_t kZoneRows = 64;

struct ZoneName {
  KeyPart node = 0;
  std::string_view zone;
};
// False: not such a line. On true, `line` stands behind the zone's name.
inline bool parse_zone_line(base::Scanner& line, ZoneName& out) {
  std::uint64_t node = 0;
  if (!line.consume("Node ") || !line.u64(node) || node > INT32_MAX || !line.consume(", zone")) return false;
  out = {static_cast<KeyPart>(node), line.word()};
  return !out.zone.empty();
}

}  // namespace mikroscope::proc
