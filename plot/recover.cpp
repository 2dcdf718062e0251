#include "plot/recover.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/host/files.h"
#include "plot/append_file.h"
#include "plot/markers.h"
#include "plot/recording_paths.h"
#include "plot/recording_tally.h"
#include "plot/recording_writer.h"
#include "proc/reader/reader.h"

namespace mikroscope::plot {
namespace {

using Json = nlohmann::ordered_json;

// The length of the file without what stands after its last line break.
base::Result<std::uint64_t> whole_lines(int fd, std::uint64_t size, const std::string& path) {
  char buffer[65536];
  while (size > 0) {
    const std::uint64_t n = std::min<std::uint64_t>(size, sizeof buffer);
    if (::pread(fd, buffer, n, static_cast<off_t>(size - n)) != static_cast<ssize_t>(n)) {
      return base::file_error("cannot read", path, errno);
    }
    const std::size_t last = std::string_view(buffer, n).rfind('\n');
    if (last != std::string_view::npos) return size - n + last + 1;
    size -= n;
  }
  return std::uint64_t{0};
}

class Rebuild {
 public:
  Rebuild(const CsvSelection& selection, AppendFile csv) : csv_(selection), csv_file_(std::move(csv)) {}

  base::Result<void> file(int fd, std::uint64_t size, const std::string& path) {
    std::vector<char> buffer(std::size_t{1} << 20);
    for (std::uint64_t at = 0; at < size;) {
      const std::size_t n = static_cast<std::size_t>(std::min<std::uint64_t>(size - at, buffer.size()));
      if (::pread(fd, buffer.data(), n, static_cast<off_t>(at)) != static_cast<ssize_t>(n)) {
        return base::file_error("cannot read", path, errno);
      }
      at += n;
      reader_.feed({buffer.data(), n});
      base::Result<void> done = items();
      if (!done.ok()) return done;
    }
    reader_.finish();
    base::Result<void> done = items();
    if (!done.ok() || !csv_file_.open()) return done;
    return csv_file_.flush(true);
  }

  const RecordingTally& tally() const { return tally_; }

 private:
  base::Result<void> items() {
    while (const std::optional<proc::Item> item = reader_.next()) {
      if (const auto* frame = std::get_if<proc::Frame>(&*item)) {
        if (tally_.frame(frame->head).repeated || !csv_file_.open()) continue;
        base::Result<void> done;
        if (!csv_.started()) done = csv_file_.add(csv_.header(*frame));
        if (done.ok()) done = csv_file_.add(csv_.row(*frame));
        if (!done.ok()) return done;
      } else if (const auto* gap = std::get_if<proc::Gap>(&*item)) {
        tally_.gap(*gap);
      } else if (const auto* restart = std::get_if<proc::Restart>(&*item)) {
        tally_.restart(*restart);
      } else if (std::holds_alternative<proc::Trigger>(*item)) {
        tally_.trigger();
      } else if (std::holds_alternative<proc::LogRecord>(*item)) {
        tally_.log_record();
      } else if (std::holds_alternative<proc::Malformed>(*item)) {
        tally_.malformed(1);
      }
    }
    return {};
  }

  proc::NdjsonReader reader_;
  RecordingTally tally_;
  CsvTable csv_;
  AppendFile csv_file_;
};

Json old_meta(const RecordingPaths& paths) {
  const base::Result<std::string> text = base::read_text(paths.meta_part());
  Json meta = text.ok() ? Json::parse(*text, nullptr, false) : Json::object();
  return meta.is_object() ? meta : Json::object();
}

}  // namespace

base::Result<Recovered> recover_recording(const std::string& prefix, const CsvSelection& selection) {
  const RecordingPaths paths{prefix};
  const std::string part = paths.jsonl_part();
  if (!base::exists(part)) {
    return base::Error{base::exists(paths.jsonl())
                           ? fmt::format("{} is finished: there is nothing to recover", paths.jsonl())
                           : fmt::format("there is no {} to recover", part),
                       "", base::Exit::no_data};
  }
  base::Result<std::optional<base::Fd>> lock = lock_part(part, false);
  if (!lock.ok()) return std::move(lock).error();
  if (!*lock)
    return base::Error{fmt::format("a recorder is still writing {}", part), "stop it first",
                       base::Exit::refused};
  const int fd = (*lock)->get();
  struct stat info {};
  if (::fstat(fd, &info) != 0) return base::file_error("cannot read", part, errno);
  const auto size = static_cast<std::uint64_t>(info.st_size);
  const base::Result<std::uint64_t> whole = whole_lines(fd, size, part);
  if (!whole.ok()) return whole.error();

  AppendFile csv;
  if (!selection.none()) {
    base::Fd csv_fd(::open(paths.csv_part().c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
    if (!csv_fd) return base::file_error("cannot create", paths.csv_part(), errno);
    csv = AppendFile(std::move(csv_fd), paths.csv_part(), 0);
  }
  Rebuild rebuild(selection, std::move(csv));
  base::Result<void> read = rebuild.file(fd, *whole, part);
  if (!read.ok()) return std::move(read).error();
  const RecordingTally& tally = rebuild.tally();
  if (tally.samples() == 0) {
    ::unlink(paths.csv_part().c_str());
    return base::Error{fmt::format("{} holds no whole sample", part), fmt::format("remove it: rm {}", part),
                       base::Exit::no_data};
  }
  if (*whole != size && ::ftruncate(fd, static_cast<off_t>(*whole)) != 0)
    return base::file_error("cannot write", part, errno);

  Recovered out;
  out.samples = tally.samples();
  out.gaps = tally.gaps().size();
  out.restarts = tally.restarts();
  out.malformed = tally.malformed();
  out.cut_bytes = size - *whole;
  out.covered_s = static_cast<double>(tally.covered_ns()) / 1e9;
  base::Result<void> marked = create_marker_file(paths.markers());
  if (!marked.ok()) return std::move(marked).error();
  const base::Result<MarkerFile> markers = load_markers(paths.markers());
  if (markers.ok()) out.markers = markers->markers.size();
  const base::Result<std::string> hash = sha256_of_file(part);
  if (!hash.ok()) return hash.error();

  Json meta = old_meta(paths);
  meta["complete"] = false;
  meta["ended_by"] = "recovered";
  meta["recovered"] = {{"cut_bytes", out.cut_bytes}};
  tally.write(meta);
  meta["markers"] = out.markers;
  meta["jsonl_sha256"] = *hash;
  base::Result<void> written = base::replace_file(
      paths.meta(), meta.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
  if (!written.ok()) return std::move(written).error();
  if (!selection.none() && ::rename(paths.csv_part().c_str(), paths.csv().c_str()) != 0) {
    return base::file_error("cannot create", paths.csv(), errno);
  }
  if (::rename(part.c_str(), paths.jsonl().c_str()) != 0)
    return base::file_error("cannot create", paths.jsonl(), errno);
  ::unlink(paths.meta_part().c_str());
  base::sync_directory_of(paths.jsonl());
  return out;
}

}  // namespace mikroscope::plot
