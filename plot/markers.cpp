#include "plot/markers.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <span>

#include "base/host/files.h"
#include "base/host/utc.h"
#include "base/text.h"
#include "plot/csv.h"

namespace mikroscope::plot {
namespace {

enum Field : std::size_t { kWall, kUtc, kSeq, kKind, kLabel, kBoot, kUntil, kFields };
constexpr std::string_view kHeader = "wall_ns,wall_utc,seq,kind,label,boot_ns,until_boot_ns\n";
constexpr std::size_t kLeastFields = kLabel + 1;  // files of other tools end with the label

bool is_header(const CsvRow& row) {
  return row.fields[0] == "wall_ns";
}

bool optional_ns(const CsvRow& row, Field field, std::optional<std::int64_t>& out) {
  if (row.fields.size() <= field || row.fields[field].empty()) return true;
  std::int64_t value = 0;
  if (!base::parse_i64(row.fields[field], value)) return false;
  out = value;
  return true;
}

// Empty, or why the row is none.
std::string_view read_row(const CsvRow& row, Marker& out) {
  if (row.fields.size() < kLeastFields) return "it has too few fields";
  if (row.fields.size() > kFields) return "it has too many fields";
  if (!base::parse_i64(row.fields[kWall], out.wall_ns)) return "wall_ns is no number";
  if (!row.fields[kSeq].empty() && !base::parse_u64(row.fields[kSeq], out.seq)) return "seq is no number";
  out.kind = row.fields[kKind].empty() ? "note" : row.fields[kKind];
  out.label = row.fields[kLabel];
  if (!optional_ns(row, kBoot, out.boot_ns)) return "boot_ns is no number";
  if (!optional_ns(row, kUntil, out.until_boot_ns)) return "until_boot_ns is no number";
  return {};
}

std::string write_row(const Marker& m) {
  std::string out = fmt::format("{},{},{},", m.wall_ns, base::format_utc(m.wall_ns, 9), m.seq);
  append_csv_field(out, m.kind);
  out += ',';
  append_csv_field(out, m.label);
  out += ',';
  if (m.boot_ns) out += fmt::format("{}", *m.boot_ns);
  out += ',';
  if (m.until_boot_ns) out += fmt::format("{}", *m.until_boot_ns);
  return out + '\n';
}

// The file, opened and locked. A writer that waited for the lock may hold a file that was replaced meanwhile
// (delete_marker renames): then it opens again.
base::Result<base::Fd> open_locked(const std::string& path, int flags) {
  for (;;) {
    base::Fd fd(::open(path.c_str(), flags | O_CLOEXEC, 0644));
    if (!fd) return base::file_error("cannot open", path, errno);
    while (::flock(fd.get(), LOCK_EX) != 0) {
      if (errno != EINTR) return base::file_error("cannot lock", path, errno);
    }
    struct stat held {};
    struct stat named {};
    if (::fstat(fd.get(), &held) != 0) return base::file_error("cannot read", path, errno);
    if (::stat(path.c_str(), &named) == 0 && held.st_ino == named.st_ino && held.st_dev == named.st_dev)
      return fd;
  }
}

}  // namespace

base::Result<MarkerFile> load_markers(const std::string& path) {
  MarkerFile out;
  if (!base::exists(path)) return out;
  base::Result<std::string> text = base::read_text(path);
  if (!text.ok()) return std::move(text).error();
  for (const CsvRow& row : parse_csv(*text)) {
    if (is_header(row)) continue;
    Marker marker;
    const std::string_view why = read_row(row, marker);
    if (why.empty()) {
      out.markers.push_back(std::move(marker));
    } else {
      out.warnings.push_back(fmt::format("{} line {}: skipped, {}", path, row.line, why));
    }
  }
  return out;
}

base::Result<void> create_marker_file(const std::string& path) {
  base::Result<base::Fd> fd = open_locked(path, O_RDWR | O_APPEND | O_CREAT);
  if (!fd.ok()) return std::move(fd).error();
  struct stat info {};
  if (::fstat(fd->get(), &info) != 0) return base::file_error("cannot read", path, errno);
  return info.st_size == 0 ? base::write_all(fd->get(), kHeader, path) : base::Result<void>();
}

base::Result<void> append_marker(const std::string& path, const Marker& marker) {
  base::Result<base::Fd> fd = open_locked(path, O_RDWR | O_APPEND | O_CREAT);
  if (!fd.ok()) return std::move(fd).error();
  struct stat info {};
  if (::fstat(fd->get(), &info) != 0) return base::file_error("cannot read", path, errno);
  std::string bytes;
  if (info.st_size == 0) {
    bytes = kHeader;
  } else {
    char last = '\n';
    // A row that a crash cut off stays a line of its own.
    if (::pread(fd->get(), &last, 1, info.st_size - 1) == 1 && last != '\n') bytes = "\n";
  }
  bytes += write_row(marker);
  const ssize_t n = ::write(fd->get(), bytes.data(), bytes.size());
  if (n == static_cast<ssize_t>(bytes.size())) return {};
  const int error_number = n < 0 ? errno : ENOSPC;
  if (n > 0) (void)!::ftruncate(fd->get(), info.st_size);
  return base::file_error("cannot write", path, error_number);
}

base::Result<void> delete_marker(const std::string& path, std::size_t index) {
  base::Result<base::Fd> fd = open_locked(path, O_RDWR);
  if (!fd.ok()) return std::move(fd).error();
  const base::Result<std::string> text = base::read_text(path);
  if (!text.ok()) return text.error();
  std::size_t at = 0;
  for (const CsvRow& row : parse_csv(*text)) {
    Marker ignored;
    if (is_header(row) || !read_row(row, ignored).empty()) continue;
    if (at++ != index) continue;
    return base::replace_file(path, text->substr(0, row.begin) + text->substr(row.end));
  }
  return base::Error{
      fmt::format("{} has {} marker{}, none has the number {}", path, at, at == 1 ? "" : "s", index + 1),
      "list them with mark --list", base::Exit::usage};
}

}  // namespace mikroscope::plot
