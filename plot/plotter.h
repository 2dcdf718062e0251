// The making of figures, step by step: inputs are loaded, their samples read, the figures written.
#pragma once

#include <string>
#include <vector>

#include "plot/dataset.h"
#include "plot/figure.h"
#include "plot/panel.h"
#include "plot/plot.h"
#include "plot/recording.h"

namespace mikroscope::plot {

// One input on its way to a figure.
struct Job {
  InputPaths paths;
  RecordingIndex index;  // of a recording
  bool quick = false;    // the index is a guess from the file's ends
  bool hash_from_meta = false;
  DataSet dataset;  // of a data set
  bool dual = false;
  std::vector<const Panel*> panels;
  std::vector<Mark> marks;
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::int64_t interval_ns = 0;
  std::int64_t from_ns = 0;  // the window
  std::int64_t to_ns = 0;
  std::uint32_t smooth = 1;
  Figure figure;
  FigureSummary summary;
};

class Plotter {
 public:
  explicit Plotter(const PlotOptions& options) : o_(options) {}

  base::Result<PlotSummary> run();

 private:
  base::Result<void> load(const std::string& input, const std::vector<const Panel*>& panels, Job& job);
  base::Result<void> load_recording(Job& job);
  base::Result<void> load_whole(Job& job);
  base::Result<void> collect_quickly(Job& job, const Grid& grid);
  void place(Job& job);
  base::Result<void> load_dataset_files(Job& job);
  base::Result<void> window(Job& job);
  void share_time();
  Grid grid_of(const Job& job) const;
  std::uint32_t smooth_of(const Job& job, const Grid& grid) const;
  base::Result<void> read(Job& job);
  void leave_out(Job& job);
  std::vector<SharedRange> shared_ranges() const;
  base::Result<void> write(Job& job, const std::vector<SharedRange>& shared);

  const PlotOptions& o_;
  std::vector<Job> jobs_;
  double shared_low_s_ = 0;  // --share-axes: seconds after t0
  double shared_high_s_ = 0;
};

}  // namespace mikroscope::plot
