// Descriptors and whole-file reads for kernel files. No allocation, no exceptions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

namespace mikroscope::base {

// Owns one descriptor.
class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : past_(fd + 1) {}
  Fd(Fd&& other) noexcept : past_(std::exchange(other.past_, 0)) {}
  Fd& operator=(Fd&& other) noexcept {
    if (this != &other) {
      reset();
      past_ = std::exchange(other.past_, 0);
    }
    return *this;
  }
  Fd(const Fd&) = delete;
  Fd& operator=(const Fd&) = delete;
  ~Fd() { reset(); }

  int get() const { return past_ - 1; }
  explicit operator bool() const { return past_ > 0; }
  void reset();
  int release() { return std::exchange(past_, 0) - 1; }

 private:
  int past_ = 0;  // the descriptor plus one: zero bytes are an Fd that owns nothing
};

// O_RDONLY|O_CLOEXEC; an empty Fd with errno set on failure. `path` is NUL-terminated.
Fd open_read(const char* path);

// Memory for reading files into, used for one file at a time. full() means a file did not fit: the text is
// then cut, and its reader must treat it as failed.
struct ReadBuffer {
  char* data = nullptr;
  std::size_t capacity = 0;
};

enum class ReadError : unsigned char { none, failed, too_large };

// How the kernel hands a file out; it decides whether a short read can be the end.
struct FileShape {
  // 0: one record, generated whole (stat, meminfo, loadavg, sysfs), so a read shorter than the buffer is the
  // end. Otherwise a file of many records (seq_file), of which one read returns about a page: only a read
  // that left room for the longest record, or one that returns 0, is the end. On x86 the last record of
  // /proc/interrupts is some fifteen rows long, so its bound grows with the number of CPUs; a bound of a page
  // or more means "read until 0".
  std::size_t longest_record = 0;
};
constexpr FileShape kSingleRecord{0};
constexpr FileShape kUntilZero{SIZE_MAX / 2};

struct ReadResult {
  std::string_view text;
  ReadError error = ReadError::none;
  int error_number = 0;  // errno of a failed read
  // until_zero only: the shape would have ended the read too early, so it must not be used for this file any
  // more.
  bool shape_wrong = false;
};

// Reads all of `fd` from offset 0. Never trusts st_size (0 for procfs), retries EINTR.
// `until_zero` reads on until a read returns 0 whatever the shape: the check that the shape rules are still
// right.
ReadResult read_whole(int fd, ReadBuffer buffer, FileShape shape, bool until_zero = false);

// Opens, reads whole and closes; for files read once.
ReadResult read_path(const char* path, ReadBuffer buffer);

}  // namespace mikroscope::base
