// The router's own log as markers of a recording.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/host/result.h"
#include "cli/option_set.h"
#include "cli/recording_view.h"
#include "cli/router_facts.h"
#include "routeros/session/session.h"

namespace mikroscope::cli {

// --log-markers and --topics.
struct LogMarkerOptions {
  bool wanted = false;
  std::string topics = "system,interface,container";

  void declare(OptionSet& set);
};

struct LogLine {
  std::int64_t wall_ns = 0;  // UTC; whole seconds
  std::string topics;        // "system,info,account"
  std::string text;

  bool operator==(const LogLine&) const = default;
};

// A row of /log as it was sent. Nothing where its time is none. `offset_s` and `now_ns` (UTC) are the
// router's.
std::optional<LogLine> log_line(std::string_view time, std::string_view topics, std::string_view message,
                                std::int64_t offset_s, std::int64_t now_ns, routeros::CodePage code_page);

// Lines whose topics hold one of `topics` (a comma list; empty: all) within [from, to], in the order of time,
// each once: a router with several logging actions keeps every line once for each, some with the prefix
// "[ACTION]: ".
std::vector<LogLine> choose_log_lines(std::vector<LogLine> lines, std::string_view topics,
                                      std::int64_t from_ns, std::int64_t to_ns);

struct LogMarkers {
  std::size_t added = 0;
  std::size_t known = 0;    // were there already
  std::size_t undated = 0;  // rows whose time could not be read
  std::int64_t from_ns = 0;
  std::int64_t to_ns = 0;
  std::string zone;  // of the router, as the times were read: "Europe/Madrid, UTC+02:00"
};

// Reads the log and adds what belongs to the recording: the lines from the second of its first sample to the
// second of its last, both taken whole. What the router logs until that last second is over (such as our own
// login) still belongs, so a later call may add it. `facts` were read over this session just now.
base::Result<LogMarkers> add_log_markers(routeros::Session& session, const RouterFacts& facts,
                                         const LogMarkerOptions& options, routeros::CodePage code_page,
                                         RecordingView& view);

std::string describe(const LogMarkers& markers);

}  // namespace mikroscope::cli
