#include "proc/file_source.h"

#include <errno.h>

#include <cstring>

namespace mikroscope::proc {

bool join_path(std::string_view root, std::string_view rest, char (&out)[kMaxPath]) {
  while (root.size() > 1 && root.back() == '/') root.remove_suffix(1);
  if (root.size() + 1 + rest.size() >= kMaxPath) return false;
  std::memcpy(out, root.data(), root.size());
  out[root.size()] = '/';
  std::memcpy(out + root.size() + 1, rest.data(), rest.size());
  out[root.size() + 1 + rest.size()] = '\0';
  return true;
}

std::string_view read_status_name(ReadStatus status) {
  switch (status) {
    case ReadStatus::ok:
      return "ok";
    case ReadStatus::absent:
      return "absent";
    case ReadStatus::forbidden:
      return "forbidden";
    case ReadStatus::failed:
      return "failed";
  }
  return "";
}

ReadStatus status_of_errno(int error_number) {
  return error_number == EACCES || error_number == EPERM ? ReadStatus::forbidden : ReadStatus::absent;
}

ReadStatus open_file(const char* path, base::ReadBuffer buffer, base::FileShape shape, base::Fd& fd) {
  base::Fd opened = base::open_read(path);
  if (!opened) return status_of_errno(errno);
  const base::ReadResult got = base::read_whole(opened.get(), buffer, shape, true);
  if (got.error == base::ReadError::too_large) return ReadStatus::failed;
  if (got.error != base::ReadError::none) return status_of_errno(got.error_number);
  fd = static_cast<base::Fd&&>(opened);
  return ReadStatus::ok;
}

bool is_gone(int error_number) {
  return error_number == ENODEV || error_number == ENOENT || error_number == ESRCH || error_number == ENXIO;
}

ReadStatus FileSource::open(const Roots& roots, base::Arena& arena, base::ReadBuffer buffer) {
  if (!join_path(roots.proc, path_, full_path_)) return ReadStatus::failed;
  if (!prepared_ && !prepare(arena)) return ReadStatus::failed;
  prepared_ = true;
  proved_ = false;
  return open_file(full_path_, buffer, shape_, fd_);
}

base::ReadResult FileSource::read_by_shape(Tick& tick) {
  const base::ReadResult got = base::read_whole(fd_.get(), tick.buffer, shape_, tick.until_zero || !proved_);
  proved_ = true;
  if (got.shape_wrong) {
    shape_wrong_ = true;
    shape_ = base::kUntilZero;
  }
  return got;
}

ReadStatus FileSource::read(Tick& tick) {
  if (!fd_) return ReadStatus::absent;
  const base::ReadResult got = read_by_shape(tick);
  if (got.error == base::ReadError::failed && is_gone(got.error_number)) {
    fd_.reset();  // opening it again is the minute's retry
    return ReadStatus::absent;
  }
  if (got.error != base::ReadError::none || !parse(got.text, tick)) return ReadStatus::failed;
  return ReadStatus::ok;
}

void FileSource::paths(void (*visit)(void*, std::string_view), void* context) const {
  if (fd_) visit(context, full_path_);
}

}  // namespace mikroscope::proc
