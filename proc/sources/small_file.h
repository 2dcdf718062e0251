// One small kernel file (sysfs, cgroup, PSI) of a source that has several. Any of them may be missing, vanish
// or fail without the others; what it would have given is then absent.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/format.h"
#include "proc/file_source.h"

namespace mikroscope::proc {

// A path below a root, put together from pieces: RelPath().add("cpu").add(3).view() is "cpu3". An overlong
// one is empty, and opens nothing.
class RelPath {
 public:
  RelPath& add(std::string_view text) {
    writer_.put(text);
    return *this;
  }
  RelPath& add(std::uint32_t number) {
    writer_.u64(number);
    return *this;
  }
  std::string_view view() const { return writer_.overflow() ? std::string_view() : writer_.view(); }

 private:
  char text_[kMaxPath];
  base::Writer writer_{text_, sizeof text_};
};

class SmallFile {
 public:
  ReadStatus open(std::string_view root, std::string_view rest, base::ReadBuffer buffer) {
    return open_file(root, rest, buffer, base::kSingleRecord, fd_);
  }
  // Without the first read that proves that the file can be read: for files whose reading is slow or may fail
  // for now.
  bool open_unread(std::string_view root, std::string_view rest);
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

// A file that is read once and not kept open.
bool read_once(std::string_view root, std::string_view rest, base::ReadBuffer buffer, std::string_view& text);
bool read_once_i64(std::string_view root, std::string_view rest, base::ReadBuffer buffer, std::int64_t& out);

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
