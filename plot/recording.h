// Finding a recording's files, and the one quick pass over its lines that gives the time axis, the number of
// samples and the file's hash. The values themselves are read by plot/collect.h, so a recording is never held
// in memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/host/result.h"
#include "plot/timeline.h"

namespace mikroscope::plot {

struct InputPaths {
  std::string data;      // the .jsonl, .jsonl.part or .csv
  std::string prefix;    // of the files that belong to it
  bool dataset = false;  // a table rel_s,cpu_pct,ram_used_mib instead of a recording
};

// `in` is a prefix, or one of the files. The error names the two paths that were tried.
base::Result<InputPaths> find_input(const std::string& in);

// Hands out a file in pieces of bounded size.
class FilePieces {
 public:
  static constexpr std::size_t kValid = 4;

  FilePieces() = default;
  FilePieces(const FilePieces&) = delete;
  FilePieces& operator=(const FilePieces&) = delete;
  ~FilePieces();
  base::Result<void> open(const std::string& path);
  // The next piece, from wherever seek() left off; empty at the end. Valid until kValid further calls.
  base::Result<std::string_view> next();
  void seek(std::uint64_t offset) { offset_ = offset; }
  std::uint64_t size() const;
  // Up to `length` bytes at `offset`, without moving next().
  std::string at(std::uint64_t offset, std::size_t length);

 private:
  int fd_ = -1;
  std::string path_;
  std::uint64_t offset_ = 0;
  std::vector<char> buffers_[kValid];
  std::size_t turn_ = 0;
};

struct ResumePoint {
  AxisCursor cursor;         // as it was before the line at `offset`
  std::int64_t axis_ns = 0;  // of that line's sample
  std::uint64_t offset = 0;
};

struct RecordingIndex {
  Timeline timeline;
  std::uint64_t samples = 0;
  std::uint64_t lines = 0;
  bool cut_last_line = false;       // the file does not end with a line break
  std::int64_t interval_ns = 0;     // the usual distance of two samples; 0: fewer than two
  std::string sha256;               // of the file, lower-case hex
  std::vector<ResumePoint> resume;  // every few hundred samples
  struct Extent {
    std::uint64_t offset = 0;
    std::uint32_t length = 0;
  };
  std::vector<Extent> names;  // lines that later lines need in order to be understood
};

// `hash`: false leaves sha256 empty, which spares most of the time.
base::Result<RecordingIndex> index_recording(const std::string& path, bool hash = true);

// A guess at the same from the file's first and last samples alone: the axis reaches from 0 to `end_ns`
// unless something unusual (a reboot, damage) lies between, which a pass over the file must check. samples
// counts the first ones only; there is no timeline. nullopt where not even that can be said.
struct RecordingEnds {
  RecordingIndex index;
  std::int64_t end_ns = 0;
};
std::optional<RecordingEnds> index_ends(const std::string& path);

// The hash that the recorder wrote into the meta file, where that is of this very file: the recording is
// complete and the size is the same. Empty: it must be computed.
std::string recorded_hash(const InputPaths& paths);

// The four numbers that head a sample line; false for any other line. The rest of the line is not looked at.
bool parse_head(std::string_view line, SampleHead& out);

}  // namespace mikroscope::plot
