// The small data sets that performance pages publish, as figures: X.csv with rel_s,cpu_pct,ram_used_mib (one
// row a sample, raw), X-markers.csv with rel_s,label,kind, and X-background.csv with from_s,to_s: stretches
// that the machine spent on jobs of its own.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/host/result.h"
#include "plot/figure.h"

namespace mikroscope::plot {

struct DataSet {
  struct Row {
    std::int64_t axis_ns = 0;  // rel_s; the axis of a data set is its own
    double cpu = 0;            // per cent of all cores
    double memory = 0;         // MiB
    bool has_cpu = false;
    bool has_memory = false;
  };
  std::vector<Row> rows;  // by time
  std::vector<Mark> marks;
  std::vector<BackgroundSpan> background;
  std::int64_t interval_ns = 0;
  std::uint64_t rows_skipped = 0;
  std::string first_skipped;
  std::string sha256;
  std::vector<std::string> notes;
};

// `background`: as PlotOptions::background.
base::Result<DataSet> load_dataset(const std::string& path, const std::string& prefix,
                                   const std::string& background);

// Draws every row inside a background span as the mean of the rows within one second on either side of it
// that are in no span, CPU and memory alike. Spans with no such row stay as they are.
void smooth_background(DataSet& data);

// The same as collect() does for a recording, for the panels total and memory.
Collected collect_dataset(const DataSet& data, const Grid& grid, std::uint32_t smooth);

}  // namespace mikroscope::plot
