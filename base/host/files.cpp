#include "base/host/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace mikroscope::base {

Error file_error(std::string_view doing, std::string_view path, int error_number) {
  std::string fix;
  if (error_number == ENOSPC || error_number == EDQUOT)
    fix = "free some space, or write elsewhere with --out";
  if (error_number == EACCES || error_number == EPERM || error_number == EROFS) {
    fix = "choose a place that you may write to, or check the permissions";
  }
  return {fmt::format("{} {}: {}", doing, path, std::strerror(error_number)), fix, Exit::failed};
}

Result<std::string> read_text(const std::string& path) {
  const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return file_error("cannot read", path, errno);
  std::string out;
  char buffer[65536];
  for (;;) {
    const ssize_t n = ::read(fd.get(), buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return file_error("cannot read", path, errno);
    if (n == 0) return out;
    out.append(buffer, static_cast<std::size_t>(n));
  }
}

Result<void> write_all(int fd, std::string_view bytes, std::string_view path) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return file_error("cannot write", path, errno);
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return {};
}

Result<void> replace_file(const std::string& path, std::string_view bytes, unsigned mode) {
  const std::string beside = fmt::format("{}.{}.tmp", path, ::getpid());
  Fd fd(::open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode));
  if (!fd) return file_error("cannot create", path, errno);
  Result<void> done = write_all(fd.get(), bytes, path);
  if (done.ok() && ::fdatasync(fd.get()) != 0 && errno != EINVAL)
    done = file_error("cannot write", path, errno);
  fd.reset();
  if (done.ok() && ::rename(beside.c_str(), path.c_str()) != 0)
    done = file_error("cannot replace", path, errno);
  if (!done.ok()) ::unlink(beside.c_str());
  return done;
}

bool exists(const std::string& path) {
  struct stat info {};
  return ::lstat(path.c_str(), &info) == 0;
}

std::string directory_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

void sync_directory_of(const std::string& path) {
  const Fd fd(::open(directory_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd) (void)::fsync(fd.get());
}

}  // namespace mikroscope::base
