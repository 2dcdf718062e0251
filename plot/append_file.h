// A file that only grows, in whole lines, and is safe on the disk after each sync.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/file.h"
#include "base/host/result.h"

namespace mikroscope::plot {

class AppendFile {
 public:
  AppendFile() = default;
  // Takes an open file whose size is `size`; `path` is for errors.
  AppendFile(base::Fd fd, std::string path, std::uint64_t size)
      : fd_(std::move(fd)), path_(std::move(path)), size_(size) {}

  bool open() const { return static_cast<bool>(fd_); }
  int fd() const { return fd_.get(); }
  const std::string& path() const { return path_; }
  std::uint64_t size() const { return size_; }  // on disk; without what waits in the buffer

  // `line` ends with '\n'. Buffered: an error comes with the flush() that it causes.
  base::Result<void> add(std::string_view line);
  // Hands everything to the kernel; with `sync`, to the disk. After an error the file ends with its last
  // whole line, and what did not fit is dropped.
  base::Result<void> flush(bool sync);
  void close() { fd_.reset(); }

 private:
  base::Fd fd_;
  std::string path_;
  std::string buffer_;
  std::uint64_t size_ = 0;
};

// SHA-256 of a file in lower-case hex.
base::Result<std::string> sha256_of_file(const std::string& path);

}  // namespace mikroscope::plot
