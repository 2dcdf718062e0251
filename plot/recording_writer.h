// The files of a recording in the making: X.jsonl, X.csv, X.markers.csv, X.meta.json. Safe against a crash (a
// second's worth of samples at most is lost), a full disk, a second recorder and an old recording of the same
// name.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/host/result.h"
#include "plot/append_file.h"
#include "plot/csv_table.h"
#include "plot/markers.h"
#include "plot/recording_paths.h"
#include "proc/reader/item.h"

namespace mikroscope::plot {

struct RecordingOptions {
  std::string prefix;
  bool force = false;  // replace a recording of this name; not one that is being written
  CsvSelection csv;
};

// The prefix of "X", "X.jsonl" or another file of X.
std::string prefix_of(std::string_view name);

class RecordingWriter {
 public:
  // Checks everything that can be checked beforehand and takes the lock. Exit::refused where a recording of
  // this name exists or is being written. Touches nothing of an old recording before the first sample.
  static base::Result<std::unique_ptr<RecordingWriter>> create(RecordingOptions options);
  ~RecordingWriter();  // discards what was neither finished nor kept
  RecordingWriter(const RecordingWriter&) = delete;
  RecordingWriter& operator=(const RecordingWriter&) = delete;

  const RecordingPaths& paths() const { return paths_; }
  bool begun() const { return begun_; }  // a sample is in it

  // A line that is no sample, with its '\n'.
  base::Result<void> line(std::string_view text);
  // A sample as its line and as its values.
  base::Result<void> frame(const proc::Frame& frame, std::string_view text);
  // Markers set before the first sample wait for it.
  base::Result<void> marker(const Marker& marker);
  // To the disk.
  base::Result<void> sync();
  // Replaces the meta file of the recording that runs; from then on `mark` finds it.
  base::Result<void> write_meta(const std::string& json);

  // SHA-256 of the .jsonl as it is now; nothing may be added after that.
  base::Result<std::string> hash();
  // Writes the last meta file and gives all files their names.
  base::Result<void> finish(const std::string& meta_json);
  // Removes everything that this recording made.
  void discard();

  std::size_t csv_columns() const { return csv_.columns(); }
  const std::vector<std::string>& csv_late_rows() const { return csv_.late_rows(); }
  bool has_csv() const { return csv_file_.open(); }
  std::uint64_t jsonl_bytes() const { return jsonl_.size(); }

 private:
  RecordingWriter(RecordingOptions options, AppendFile jsonl);
  base::Result<void> begin();

  RecordingPaths paths_;
  bool force_ = false;
  bool want_csv_ = true;
  bool begun_ = false;
  bool done_ = false;
  AppendFile jsonl_;
  AppendFile csv_file_;
  CsvTable csv_;
  std::vector<Marker> waiting_;
};

// Opens X.jsonl.part and takes its lock. nullopt: a recorder holds it.
base::Result<std::optional<base::Fd>> lock_part(const std::string& path, bool create);

}  // namespace mikroscope::plot
