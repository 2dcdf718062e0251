// Markers of a recording: the rows of X.markers.csv.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/host/result.h"

namespace mikroscope::plot {

// Kinds that the tool itself writes or draws in a colour of their own; any other [a-z0-9-]+ is kept and drawn
// neutral.
inline constexpr std::string_view kMarkerKinds[] = {"note",    "start",   "stop",    "phase",
                                                    "write",   "done",    "neutral", "gap",
                                                    "restart", "trigger", "log",     "clock-step"};

// Columns of the file, in order: wall_ns,wall_utc,seq,kind,label,boot_ns,until_boot_ns. RFC 4180 quoting,
// append only, not sorted. boot_ns places the marker on the recording's axis; where a row has none (files of
// other tools), wall_ns does. until_boot_ns makes it an interval.
struct Marker {
  std::int64_t wall_ns = 0;
  std::uint64_t seq = 0;  // last sample known when it was set; 0 = unknown
  std::string kind = "note";
  std::string label;
  std::optional<std::int64_t> boot_ns;
  std::optional<std::int64_t> until_boot_ns;
};

struct MarkerFile {
  std::vector<Marker> markers;        // in file order
  std::vector<std::string> warnings;  // one per row that was skipped, naming its line
};

// A missing file is an empty MarkerFile.
base::Result<MarkerFile> load_markers(const std::string& path);
// Creates the file with its header where there is none or an empty one.
base::Result<void> create_marker_file(const std::string& path);
// One O_APPEND write under an advisory lock, so that markers from many processes never mix or get lost.
// Creates the file with its header where needed.
base::Result<void> append_marker(const std::string& path, const Marker& marker);
// Rewrites the file without row `index` (0-based, file order), under the same lock.
base::Result<void> delete_marker(const std::string& path, std::size_t index);

}  // namespace mikroscope::plot
