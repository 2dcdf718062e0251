#include "sinks/stores/file_series.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <tuple>
#include <vector>

#include "sinks/stores/json_text.h"

namespace mikroscope::sinks {
namespace {

namespace fs = std::filesystem;

base::Error trouble(const std::string& what, const std::string& path, int error) {
  std::string fix;
  if (error == EACCES || error == EPERM) fix = "give the collector a directory that it may write to";
  if (error == ENOENT) fix = "make the directory first";
  if (error == ENOSPC || error == EDQUOT) fix = "make room on the disk";
  return {fmt::format("{} {}: {}", what, path, std::strerror(error)), fix, base::Exit::failed};
}

std::string stamp(std::int64_t ns) {
  const UtcTime t = utc(ns);
  return fmt::format("{:04}{:02}{:02}T{:02}{:02}{:02}Z", t.year, t.month, t.day, t.hour, t.minute, t.second);
}

// 20260910T002640Z or 20260910T002640Z-2
bool is_stamp(std::string_view text) {
  if (text.size() < 16 || text[8] != 'T' || text[15] != 'Z') return false;
  for (std::size_t i = 0; i < 15; ++i) {
    if (i != 8 && (text[i] < '0' || text[i] > '9')) return false;
  }
  const std::string_view rest = text.substr(16);
  return rest.empty() || (rest[0] == '-' && rest.size() > 1 &&
                          rest.find_first_not_of("0123456789", 1) == std::string_view::npos);
}

}  // namespace

base::Result<void> FileSeries::open() {
  if (fd_ >= 0) return {};
  fd_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (fd_ < 0) return trouble("cannot open", path_, errno);
  struct stat status {};
  if (fstat(fd_, &status) != 0 || !S_ISREG(status.st_mode)) {
    close();
    return base::Error{path_ + " is no regular file", "name a file", base::Exit::usage};
  }
  size_ = static_cast<std::uint64_t>(status.st_size);
  char last = '\n';
  if (size_ > 0 && pread(fd_, &last, 1, static_cast<off_t>(size_ - 1)) == 1 && last != '\n') {
    if (auto ended = append("\n"); !ended.ok()) {
      close();
      return ended;
    }
  }
  return {};
}

std::string FileSeries::first_line() const {
  std::ifstream in(path_, std::ios::binary);
  std::string line;
  std::getline(in, line);
  return line;
}

base::Result<void> FileSeries::append(std::string_view lines) {
  const std::uint64_t before = size_;
  while (!lines.empty()) {
    const ssize_t n = ::write(fd_, lines.data(), lines.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      const int error = n < 0 ? errno : ENOSPC;
      // Our own half lines go; what was there before stays.
      undo(before);
      return trouble("cannot write", path_, error);
    }
    size_ += static_cast<std::uint64_t>(n);
    lines.remove_prefix(static_cast<std::size_t>(n));
  }
  return {};
}

void FileSeries::undo(std::uint64_t size) {
  if (fd_ >= 0 && size < size_ && ::ftruncate(fd_, static_cast<off_t>(size)) == 0) size_ = size;
}

bool FileSeries::full(std::int64_t begun_ns, std::int64_t now_ns) const {
  if (size_ == 0) return false;
  if (limits_.max_bytes > 0 && size_ >= limits_.max_bytes) return true;
  return limits_.max_age_ns > 0 && begun_ns > 0 && now_ns - begun_ns >= limits_.max_age_ns;
}

base::Result<void> FileSeries::rotate(std::int64_t now_ns) {
  close();
  const fs::path path(path_);
  const fs::path directory = path.parent_path();
  const std::string base = path.stem().string() + "-" + stamp(now_ns);
  fs::path aside = directory / (base + path.extension().string());
  for (int n = 2; fs::exists(aside); ++n)
    aside = directory / fmt::format("{}-{}{}", base, n, path.extension().string());
  if (::rename(path_.c_str(), aside.c_str()) != 0)
    return trouble("cannot rename to " + aside.string(), path_, errno);
  prune();
  return open();
}

void FileSeries::prune() const {
  if (limits_.keep == 0) return;
  const fs::path path(path_);
  const std::string prefix = path.stem().string() + "-";
  const std::string suffix = path.extension().string();
  std::error_code ignored;
  const fs::path directory = path.has_parent_path() ? path.parent_path() : fs::path(".");
  std::vector<std::tuple<std::string, std::size_t, fs::path>> aside;
  for (const auto& entry : fs::directory_iterator(directory, ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.size() <= prefix.size() + suffix.size() || !name.starts_with(prefix) || !name.ends_with(suffix))
      continue;
    const std::string middle = name.substr(prefix.size(), name.size() - prefix.size() - suffix.size());
    if (!is_stamp(middle)) continue;
    const std::size_t number = middle.size() > 17 ? std::strtoull(middle.c_str() + 17, nullptr, 10) : 1;
    aside.emplace_back(middle.substr(0, 16), number, entry.path());
  }
  std::sort(aside.begin(), aside.end());
  for (std::size_t i = 0; i + limits_.keep < aside.size(); ++i) fs::remove(std::get<2>(aside[i]), ignored);
}

void FileSeries::close() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
  size_ = 0;
}

}  // namespace mikroscope::sinks
