// One small kernel file (sysfs, cgroup, PSI) of a source that has several. Any of them may be missing, vanish
// or fail without the others; what it would have given is then absent.
#pragma once

#include <cstdint>
#include <string_view>

#include "proc/file_source.h"
#include "proc/kernel_path.h"

namespace mikroscope::proc {

class SmallFile {
 public:
  ReadStatus open(const KernelPath& path, base::ReadBuffer buffer) {
    return open_file(path.c_str(), buffer, base::kSingleRecord, fd_);
  }
  // Without the first read that proves that the file can be read: for files whose reading is slow or may fail
  // for now.
  bool open_unread(const KernelPath& path);
  explicit operator bool() const { return static_cast<bool>(fd_); }
  void close() { fd_.reset(); }

  // The whole text, in `buffer`. A file whose device is gone is closed, so that a later scan can open it
  // anew.
  bool read(base::ReadBuffer buffer, std::string_view& text);
  // The whole text as one number.
  bool read_u64(base::ReadBuffer buffer, std::uint64_t& out);
  bool read_i64(base::ReadBuffer buffer, std::int64_t& out);

 private:
  base::Fd fd_;
};

// Says once a minute that it is time to look again for what may have come, gone or changed since. The first
// minute begins at the first question.
class EveryMinute {
 public:
  bool due(std::int64_t now_boot_ns);

 private:
  bool started_ = false;
  std::int64_t next_ = 0;
};

}  // namespace mikroscope::proc
