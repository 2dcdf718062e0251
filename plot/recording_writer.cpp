#include "plot/recording_writer.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/host/files.h"

namespace mikroscope::plot {
namespace {

base::Error refused(std::string what, std::string fix) {
  return {std::move(what), std::move(fix), base::Exit::refused};
}

// The first finished file of this name, or empty.
std::string old_file(const RecordingPaths& paths) {
  for (const std::string& path : {paths.jsonl(), paths.csv(), paths.markers(), paths.meta()}) {
    if (base::exists(path)) return path;
  }
  return {};
}

base::Result<void> rename_file(const std::string& from, const std::string& to) {
  if (::rename(from.c_str(), to.c_str()) == 0) return {};
  return base::file_error(fmt::format("cannot rename {} to", from), to, errno);
}

}  // namespace

std::string prefix_of(std::string_view name) {
  for (const std::string_view suffix : {".part", ".jsonl", ".markers.csv", ".meta.json", ".csv"}) {
    if (name.size() > suffix.size() && name.ends_with(suffix)) name.remove_suffix(suffix.size());
  }
  return std::string(name);
}

base::Result<std::optional<base::Fd>> lock_part(const std::string& path, bool create) {
  for (;;) {
    base::Fd fd(::open(path.c_str(), O_RDWR | O_CLOEXEC | (create ? O_CREAT : 0), 0644));
    if (!fd) {
      if (errno == ENOENT && create) {
        const std::string dir = base::directory_of(path);
        return base::Error{fmt::format("cannot write to {}: there is no directory {}", path, dir),
                           "mkdir -p " + dir, base::Exit::failed};
      }
      return base::file_error("cannot open", path, errno);
    }
    if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
      if (errno == EWOULDBLOCK) return std::optional<base::Fd>();
      if (errno != EINTR) return base::file_error("cannot lock", path, errno);
      continue;
    }
    // Between open and lock its owner may have finished it and given it another name.
    struct stat held {};
    struct stat named {};
    if (::fstat(fd.get(), &held) == 0 && ::stat(path.c_str(), &named) == 0 && held.st_ino == named.st_ino) {
      return std::optional<base::Fd>(std::move(fd));
    }
    if (!create) return base::file_error("cannot open", path, ENOENT);
  }
}

base::Result<std::unique_ptr<RecordingWriter>> RecordingWriter::create(RecordingOptions options) {
  const RecordingPaths paths{options.prefix};
  const std::string name = options.prefix.substr(options.prefix.rfind('/') + 1);
  if (name.empty()) {
    return base::Error{fmt::format("--out: \"{}\" names no file", options.prefix), "--out DIR/NAME",
                       base::Exit::usage};
  }
  if (base::exists(paths.jsonl_part())) {
    base::Result<std::optional<base::Fd>> held = lock_part(paths.jsonl_part(), false);
    if (held.ok() && !*held) {
      return refused(fmt::format("another recorder is writing {}", paths.jsonl_part()), "another --out");
    }
    struct stat info {};
    if (held.ok() && ::fstat((*held)->get(), &info) == 0 && info.st_size > 0 && !options.force) {
      return refused(fmt::format("{} is left of a recording that was cut off", paths.jsonl_part()),
                     fmt::format("mikroscope record --recover {} to complete it, or --force to replace it",
                                 options.prefix));
    }
  }
  if (!options.force) {
    const std::string old = old_file(paths);
    if (!old.empty()) {
      return refused(fmt::format("{} exists already", old),
                     "another --out, or --force to replace that recording");
    }
  }
  base::Result<std::optional<base::Fd>> lock = lock_part(paths.jsonl_part(), true);
  if (!lock.ok()) return std::move(lock).error();
  if (!*lock)
    return refused(fmt::format("another recorder is writing {}", paths.jsonl_part()), "another --out");
  if (::ftruncate((*lock)->get(), 0) != 0) return base::file_error("cannot write", paths.jsonl_part(), errno);
  AppendFile jsonl(std::move(**lock), paths.jsonl_part(), 0);
  return std::unique_ptr<RecordingWriter>(new RecordingWriter(std::move(options), std::move(jsonl)));
}

RecordingWriter::RecordingWriter(RecordingOptions options, AppendFile jsonl)
    : paths_{std::move(options.prefix)},
      force_(options.force),
      want_csv_(!options.csv.none()),
      jsonl_(std::move(jsonl)),
      csv_(std::move(options.csv)) {}

RecordingWriter::~RecordingWriter() {
  if (!done_ && !begun_) discard();
}

base::Result<void> RecordingWriter::begin() {
  begun_ = true;
  for (const std::string& path :
       {paths_.csv_part(), paths_.meta_part(), paths_.markers(), paths_.meta(), paths_.csv()}) {
    // Only with --force is there anything of these names.
    if (::unlink(path.c_str()) != 0 && errno != ENOENT)
      return base::file_error("cannot replace", path, errno);
  }
  if (want_csv_) {
    base::Fd fd(::open(paths_.csv_part().c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
    if (!fd) return base::file_error("cannot create", paths_.csv_part(), errno);
    csv_file_ = AppendFile(std::move(fd), paths_.csv_part(), 0);
  }
  base::Result<void> made = create_marker_file(paths_.markers());
  for (const Marker& m : waiting_) {
    if (made.ok()) made = append_marker(paths_.markers(), m);
  }
  waiting_.clear();
  return made;
}

base::Result<void> RecordingWriter::line(std::string_view text) {
  return jsonl_.add(text);
}

base::Result<void> RecordingWriter::frame(const proc::Frame& frame, std::string_view text) {
  if (!begun_) {
    base::Result<void> ready = begin();
    if (!ready.ok()) return ready;
  }
  base::Result<void> added = jsonl_.add(text);
  if (!added.ok() || !csv_file_.open()) return added;
  if (!csv_.started()) {
    added = csv_file_.add(csv_.header(frame));
    if (!added.ok()) return added;
  }
  return csv_file_.add(csv_.row(frame));
}

base::Result<void> RecordingWriter::marker(const Marker& marker) {
  if (begun_) return append_marker(paths_.markers(), marker);
  waiting_.push_back(marker);
  return {};
}

base::Result<void> RecordingWriter::sync() {
  base::Result<void> first = jsonl_.flush(true);
  if (!csv_file_.open()) return first;
  base::Result<void> second = csv_file_.flush(true);
  return first.ok() ? second : first;
}

base::Result<void> RecordingWriter::write_meta(const std::string& json) {
  return base::replace_file(paths_.meta_part(), json);
}

base::Result<std::string> RecordingWriter::hash() {
  base::Result<void> flushed = jsonl_.flush(true);
  if (!flushed.ok()) return std::move(flushed).error();
  return sha256_of_file(jsonl_.path());
}

base::Result<void> RecordingWriter::finish(const std::string& meta_json) {
  base::Result<void> outcome = sync();
  const auto step = [&outcome](base::Result<void> done) {
    if (outcome.ok() && !done.ok()) outcome = std::move(done);
  };
  // With a full disk the meta file written at the start stays: it says that the recording is not complete.
  step(write_meta(meta_json));
  if (csv_file_.open()) step(rename_file(paths_.csv_part(), paths_.csv()));
  step(rename_file(paths_.jsonl_part(), paths_.jsonl()));
  if (base::exists(paths_.meta_part())) step(rename_file(paths_.meta_part(), paths_.meta()));
  base::sync_directory_of(paths_.jsonl());
  jsonl_.close();
  csv_file_.close();
  done_ = true;
  return outcome;
}

void RecordingWriter::discard() {
  done_ = true;
  ::unlink(paths_.jsonl_part().c_str());
  if (begun_) {
    for (const std::string& path : {paths_.csv_part(), paths_.meta_part(), paths_.markers()})
      ::unlink(path.c_str());
  }
  jsonl_.close();
  csv_file_.close();
}

}  // namespace mikroscope::plot
