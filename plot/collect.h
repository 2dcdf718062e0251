// The pass over the values: from the lines of a recording to the series of its panels.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/host/result.h"
#include "plot/panel.h"
#include "plot/recording.h"
#include "plot/series.h"

namespace mikroscope::plot {

struct NamedSeries {
  const Pick* pick = nullptr;
  std::string label;
  std::int64_t order = 0;  // the key, where it is a number
  Hue hue = kBlue;
  bool background = false;  // one of too many to have a colour of its own
  Series series;
};

struct PanelData {
  const Panel* panel = nullptr;
  std::vector<NamedSeries> series;
  std::size_t series_left_out = 0;  // of Rows::top, those that are not among the greatest
  std::optional<double> limit;      // the last value of a limit pick
};

// A stretch without samples.
struct Break {
  std::int64_t from_ns = 0;  // the sample before it
  std::int64_t to_ns = 0;    // the sample after it
  std::uint64_t lost = 0;    // samples known to be missing; 0 with a restart: unknown
  bool restart = false;
  bool reboot = false;
};

struct LogEvent {
  std::int64_t axis_ns = 0;
  int level = 6;
  std::string message;
};

struct FiredTrigger {
  std::int64_t axis_ns = 0;
  std::string label;
};

struct Collected {
  Grid grid;
  std::uint32_t smooth = 1;
  std::uint32_t slide = 1;
  std::vector<PanelData> panels;  // those asked for, also the ones without data
  std::vector<Break> breaks;
  std::vector<LogEvent> events;
  std::vector<FiredTrigger> triggers;
  std::uint64_t events_not_kept = 0;
  std::uint64_t samples = 0;
  std::uint64_t lines_skipped = 0;
  std::string first_skipped;  // why, with its line number
  bool cut_last_line = false;
  std::uint64_t gaps_at_end = 0;  // samples reported lost after the last one
  std::size_t cores = 0;
  std::uint64_t dropped_samples = 0;  // of incomplete last means: the greatest number of any series
  std::size_t rows_not_kept = 0;      // series beyond the bound of one panel
};

// What a pass over a whole file learns on the way, so that no other pass is needed for it.
struct WholePass {
  bool hash = false;  // wanted
  std::string sha256;
  Timeline timeline;
  std::uint64_t samples = 0;
};

base::Result<Collected> collect(const std::string& path, const RecordingIndex& index, const Grid& grid,
                                std::span<const Panel* const> panels, std::uint32_t smooth,
                                WholePass* whole = nullptr);

// How many samples one drawn mean takes when nobody says: so many that the line has a point every four
// columns or fewer, and at least 100 ms, since finer CPU times are all or nothing.
std::uint32_t automatic_smooth(std::int64_t window_ns, std::int64_t interval_ns, std::uint32_t columns);
// Samples in 100 ms, at least 1.
std::uint32_t samples_per_100_ms(std::int64_t interval_ns);

// Sorts, chooses the greatest of Rows::top, gives colours. Part of collect(); data sets use it too.
void settle(PanelData& panel);

}  // namespace mikroscope::plot
