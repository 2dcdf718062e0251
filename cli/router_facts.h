// What a recording says of the router it was taken on, and the router's clock.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "base/host/result.h"
#include "routeros/session/session.h"
#include "routeros/session/text.h"

namespace mikroscope::cli {

// Absent is what the router did not say, or the account may not read.
struct RouterFacts {
  std::string identity;
  std::string board;
  std::string version;
  std::string architecture;
  std::optional<std::int64_t> uptime_ns;
  std::string zone;  // "Europe/Madrid"
  // East of Greenwich, as it was when this was read.
  std::optional<std::int64_t> gmt_offset_s;
  // The router's clock then, as UTC. RouterOS tells whole seconds.
  std::optional<std::int64_t> wall_ns;

  nlohmann::ordered_json json() const;
};

// Error: the session is lost.
base::Result<RouterFacts> read_router_facts(routeros::Session& session, routeros::CodePage code_page);

// "+02:00", "-03:30", "7200", "02:00:00"; seconds.
std::optional<std::int64_t> parse_gmt_offset(std::string_view text);

// A date and time of RouterOS without a zone, as nanoseconds of a clock that knows none. Years and dates that
// are left out are taken from `now` (the same clock): the newest instant that is not after it.
//   2026-09-12 02:21:24   sep/12/2026 00:05:23   09-12 02:21:24   sep/12 00:05:23   00:05:23
std::optional<std::int64_t> parse_router_time(std::string_view text, std::int64_t now_ns);

}  // namespace mikroscope::cli
