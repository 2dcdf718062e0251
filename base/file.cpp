#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

namespace mikroscope::base {
namespace {

constexpr std::size_t kPage = 4096;  // the least page of any kernel; larger pages only make the rule stricter

}  // namespace

void Fd::reset() {
  if (past_ > 0) close(past_ - 1);
  past_ = 0;
}

Fd open_read(const char* path) {
  for (;;) {
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd >= 0 || errno != EINTR) return Fd(fd);
  }
}

ReadResult read_whole(int fd, ReadBuffer buffer, FileShape shape, bool until_zero) {
  std::size_t size = 0;
  bool would_have_ended = false;
  bool wrong = false;
  for (;;) {
    if (size == buffer.capacity) return {{}, ReadError::too_large, 0, wrong};
    const ssize_t got = pread(fd, buffer.data + size, buffer.capacity - size, static_cast<off_t>(size));
    if (got < 0) {
      if (errno == EINTR) continue;
      return {{}, ReadError::failed, errno, wrong};
    }
    size += static_cast<std::size_t>(got);
    if (got == 0) break;
    wrong |= would_have_ended;
    const bool looks_like_the_end = shape.longest_record == 0
                                        ? size < buffer.capacity
                                        : static_cast<std::size_t>(got) + shape.longest_record < kPage;
    if (looks_like_the_end && !until_zero) break;
    would_have_ended |= looks_like_the_end;
  }
  return {{buffer.data, size}, ReadError::none, 0, wrong};
}

ReadResult read_path(const char* path, ReadBuffer buffer) {
  const Fd fd = open_read(path);
  if (!fd) return {{}, ReadError::failed, errno, false};
  return read_whole(fd.get(), buffer, kSingleRecord, true);
}

}  // namespace mikroscope::base
