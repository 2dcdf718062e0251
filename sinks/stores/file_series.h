// One growing file of lines: whole lines or nothing, never truncated, put aside by size and age.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/host/result.h"

namespace mikroscope::sinks {

class FileSeries {
 public:
  struct Limits {
    std::uint64_t max_bytes = std::uint64_t{256} << 20;  // 0: no limit
    std::int64_t max_age_ns = 0;                         // 0: no limit
    std::size_t keep = 0;                                // files put aside that are kept; 0: all
  };
  FileSeries(std::string path, Limits limits) : path_(std::move(path)), limits_(limits) {}
  ~FileSeries() { close(); }
  FileSeries(const FileSeries&) = delete;
  FileSeries& operator=(const FileSeries&) = delete;

  const std::string& path() const { return path_; }
  // Appends to what is there, or makes the file (mode 0600). A last line that was cut is ended, so that what
  // follows begins a line of its own.
  base::Result<void> open();
  bool is_open() const { return fd_ >= 0; }
  bool is_new() const { return size_ == 0; }
  std::string first_line() const;  // of the file as it is; empty: none
  // All of it, or an error and the file as it was.
  base::Result<void> append(std::string_view lines);
  std::uint64_t size() const { return size_; }
  // Takes back what was appended since the file had this size.
  void undo(std::uint64_t size);
  // Whether the next lines belong into a new file; `begun_ns` and `now_ns` are times of events.
  bool full(std::int64_t begun_ns, std::int64_t now_ns) const;
  // Puts the file aside as NAME-20260910T002640Z.EXT, named by `now_ns`, and ends what is more than `keep`.
  base::Result<void> rotate(std::int64_t now_ns);
  void close();

 private:
  void prune() const;

  std::string path_;
  Limits limits_;
  int fd_ = -1;
  std::uint64_t size_ = 0;
};

}  // namespace mikroscope::sinks
