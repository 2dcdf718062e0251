#include "sinks/pipeline/spool.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/clock.h"
#include "model/block.h"
#include "model/bytes.h"
#include "sinks/pipeline/block_record.h"
#include "sinks/pipeline/lost_samples.h"

namespace mikroscope::sinks {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSuffix = ".spool";

std::string position_name(const std::string& key) {
  std::string name = "sink-";
  for (const char c : key.substr(0, 55)) {
    name += (std::isalnum(static_cast<unsigned char>(c)) != 0) ? c : '-';
  }
  return fmt::format("{}-{:016x}.position", name, model::fnv1a(key));
}

// A position and its complement: a torn one is told from a whole one.
struct StoredPosition {
  std::uint64_t next = 0;
  std::uint64_t check = 0;
};

}  // namespace

base::Result<std::unique_ptr<Spool>> Spool::open(SpoolOptions options) {
  std::unique_ptr<Spool> spool(new Spool);
  spool->options_ = std::move(options);
  // At least a few segments, so that dropping one is not dropping everything.
  spool->options_.segment_bytes = std::max<std::uint64_t>(
      1U << 16, std::min(spool->options_.segment_bytes, spool->options_.max_bytes / 8));
  if (auto loaded = spool->load(); !loaded.ok()) return loaded.error();
  return spool;
}

Spool::~Spool() {
  for (auto& [key, reader] : readers_) {
    if (reader.fd >= 0) close(reader.fd);
  }
  if (!segments_.empty()) segments_.back()->sync();
  if (lock_fd_ >= 0) close(lock_fd_);
}

base::Result<void> Spool::load() {
  if (options_.dir.empty()) return roll();
  std::error_code error;
  fs::create_directories(options_.dir, error);
  const std::string lock = options_.dir + "/lock";
  lock_fd_ = ::open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (lock_fd_ < 0) {
    return base::Error{fmt::format("cannot use the spool {}: {}", options_.dir, std::strerror(errno)),
                       "give --spool a directory that can be written to, or `--spool memory`",
                       base::Exit::failed};
  }
  if (flock(lock_fd_, LOCK_EX | LOCK_NB) != 0) {
    return base::Error{fmt::format("the spool {} is in use by another collector", options_.dir),
                       "end that one, or give this one its own --spool", base::Exit::refused};
  }

  std::vector<std::pair<std::uint64_t, std::string>> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(options_.dir, error)) {
    if (entry.path().extension() != kSuffix) continue;
    files.emplace_back(std::strtoull(entry.path().stem().c_str(), nullptr, 10), entry.path());
  }
  std::sort(files.begin(), files.end());
  for (std::size_t i = 0; i < files.size(); ++i) {
    next_file_ = std::max(next_file_, files[i].first + 1);
    auto segment = Segment::open(files[i].second, i + 1 == files.size());
    if (segment.ok()) {
      segments_.push_back(*segment);
    } else if (segment.error().exit == base::Exit::no_data) {
      // The process ended while it was made: it never held anything.
      fs::remove(files[i].second, error);
    } else {
      return segment.error();
    }
  }
  if (segments_.empty()) return roll();

  // The numbers and cursors go on from the last segment, which begins with all cursors of its time.
  const Segment& last = *segments_.back();
  counts_.cut_bytes = last.cut_bytes();
  next_event_ = last.first_event();
  Record record;
  for (std::uint64_t at = last.first_offset();;) {
    const Segment::Found found = last.read(at, record);
    if (found == Segment::Found::end) break;
    at = record.next;
    if (found == Segment::Found::damaged) continue;
    BlockHead head;
    if (record.type == RecordType::cursors) read_cursors(record.payload, cursors_);
    if (record.type != RecordType::block || !read_block_record(record.payload, head)) continue;
    next_event_ = std::max(next_event_, head.first_event + head.events);
    if (head.cursor) cursors_[head.host] = *head.cursor;
  }
  return roll();
}

// A fresh segment: at the start, so that an earlier run's last one is never written to again, and when one is
// full.
base::Result<void> Spool::roll() {
  const std::string path =
      options_.dir.empty() ? "" : fmt::format("{}/{:012}{}", options_.dir, next_file_, kSuffix);
  auto segment = Segment::create(path, next_event_);
  if (!segment) return segment.error();
  std::string records;
  Segment::put_record(RecordType::cursors, write_cursors(cursors_), records);
  if (auto written = (*segment)->append(records); !written.ok()) {
    (*segment)->remove();
    return written.error();
  }
  ++next_file_;
  shapes_here_.clear();
  segments_.push_back(std::move(*segment));
  return {};
}

base::Result<void> Spool::append(std::span<const model::Event> events, const RouterCursor* cursor) {
  if (events.empty()) return {};
  const std::string block = model::encode_block(events);
  const std::lock_guard lock(mutex_);
  return append_locked(events, block, cursor, {});
}

base::Result<void> Spool::append_locked(std::span<const model::Event> events, const std::string& block,
                                        const RouterCursor* cursor, const std::string& only_for, bool again) {
  if (segments_.back()->bytes() >= options_.segment_bytes) {
    if (auto rolled = roll(); !rolled.ok()) {
      if (segments_.size() < 2) return rolled.error();
      drop_oldest();
      if (rolled = roll(); !rolled.ok()) return rolled.error();
    }
  }
  std::string records;
  std::vector<std::uint64_t> new_shapes;
  for (const model::Event& event : events) {
    const std::uint64_t id = event.shape->id();
    if (shapes_here_.count(id) != 0 ||
        std::find(new_shapes.begin(), new_shapes.end(), id) != new_shapes.end())
      continue;
    Segment::put_record(RecordType::shape, event.shape->bytes(), records);
    new_shapes.push_back(id);
  }
  BlockHead head = describe_block(events);
  head.first_event = next_event_;
  head.only_for = only_for;
  head.block = block;
  if (cursor != nullptr) head.cursor = *cursor;
  Segment::put_record(RecordType::block, write_block_record(head), records);

  if (auto written = write_records(records); !written.ok()) {
    // In a fresh segment the shapes are to be told again.
    if (written.error().exit == base::Exit::interrupted && !again)
      return append_locked(events, block, cursor, only_for, true);
    return written.error();
  }
  shapes_here_.insert(new_shapes.begin(), new_shapes.end());
  next_event_ += events.size();
  if (cursor != nullptr) cursors_[head.host] = *cursor;
  appended_.notify_all();
  if (only_for.empty()) trim();
  return {};
}

// A full disk makes the oldest segment go, once; or the only one, where every sink has all of it. The rest is
// the caller's to wait for.
base::Result<void> Spool::write_records(const std::string& records) {
  auto written = segments_.back()->append(records);
  if (written.ok()) return written;
  if (segments_.size() > 1) {
    drop_oldest();
    return segments_.back()->append(records);
  }
  const bool needed = std::any_of(readers_.begin(), readers_.end(), [&](const auto& reader) {
    return reader.second.open && reader.second.next < next_event_;
  });
  if (needed) return written;
  segments_.front()->discard();
  if (auto rolled = roll(); !rolled.ok()) return rolled.error();
  segments_.pop_front();
  return base::Error{"the spool began anew", "", base::Exit::interrupted};
}

std::uint64_t Spool::total_bytes() const {
  std::uint64_t bytes = 0;
  for (const auto& segment : segments_) bytes += segment->bytes();
  return bytes;
}

void Spool::trim() {
  std::uint64_t needed = next_event_;
  for (const auto& [key, reader] : readers_) {
    if (reader.open) needed = std::min(needed, reader.next);
  }
  while (segments_.size() > 1 && segments_[1]->first_event() <= needed) {
    segments_.front()->remove();
    segments_.pop_front();
  }
  while (segments_.size() > 1 && total_bytes() > options_.max_bytes) drop_oldest();
  const std::int64_t oldest = options_.max_age_ns > 0 ? base::wall_ns() - options_.max_age_ns : 0;
  // A segment is too old when even its last event, which is older than the next segment, is.
  while (segments_.size() > 1 && oldest > 0 && segments_[1]->created_ns() < oldest) drop_oldest();
}

// Every sink that did not have all of it gets to know which samples it will not see. Ranges that a dropped
// gap event told of are told again.
void Spool::drop_oldest() {
  const std::shared_ptr<Segment> segment = segments_.front();
  const std::uint64_t end = segments_[1]->first_event();
  std::map<std::string, LostSamples> lost;  // by sink
  Record record;
  for (std::uint64_t at = segment->first_offset();;) {
    const Segment::Found found = segment->read(at, record);
    if (found == Segment::Found::end) break;
    at = record.next;
    BlockHead head;
    if (found != Segment::Found::record || record.type != RecordType::block ||
        !read_block_record(record.payload, head))
      continue;
    for (const auto& [key, reader] : readers_) {
      if (!reader.open || head.first_event + head.events <= reader.next) continue;
      if (!head.only_for.empty() && head.only_for != key) continue;
      // A block that was delivered in part counts from its first sample: rather one too many than one too
      // few.
      lost[key].add(head);
    }
  }
  for (auto& [key, reader] : readers_) {
    if (!reader.open || reader.next >= end) continue;
    reader.dropped += end - reader.next;
    reader.next = end;
    keep_position(reader);
  }
  segment->remove();
  segments_.pop_front();
  for (auto& [key, samples] : lost) {
    for (const std::vector<model::Event>& events : samples.events()) {
      [[maybe_unused]] const auto kept = append_locked(events, model::encode_block(events), nullptr, key);
    }
  }
}

std::optional<RouterCursor> Spool::cursor(const std::string& host) const {
  const std::lock_guard lock(mutex_);
  const auto found = cursors_.find(host);
  return found == cursors_.end() ? std::nullopt : std::optional(found->second);
}

void Spool::keep_position(Reader& reader) {
  if (reader.fd < 0) return;
  const StoredPosition position{reader.next, ~reader.next};
  // A position that could not be kept costs a repetition after a restart, and stores take those by key.
  [[maybe_unused]] const ssize_t n = pwrite(reader.fd, &position, sizeof position, 0);
}

std::unique_ptr<SpoolReader> Spool::reader(const std::string& key) {
  const std::lock_guard lock(mutex_);
  Reader& reader = readers_[key];
  reader.open = true;
  reader.next = segments_.front()->first_event();
  if (!options_.dir.empty() && reader.fd < 0) {
    const std::string path = options_.dir + "/" + position_name(key);
    reader.fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    StoredPosition position;
    if (reader.fd >= 0 && pread(reader.fd, &position, sizeof position, 0) == sizeof position &&
        position.next == ~position.check) {
      reader.next = std::min(std::max(reader.next, position.next), next_event_);
    }
    keep_position(reader);  // its bytes are there then, however full the disk gets
  }
  return std::unique_ptr<SpoolReader>(new SpoolReader(*this, key));
}

void Spool::maintain() {
  std::shared_ptr<Segment> last;
  {
    const std::lock_guard lock(mutex_);
    trim();
    last = segments_.back();
  }
  last->sync();
}

SpoolCounts Spool::counts() const {
  const std::lock_guard lock(mutex_);
  SpoolCounts counts = counts_;
  counts.bytes = total_bytes();
  counts.segments = segments_.size();
  counts.events = next_event_;
  counts.oldest_wall_ns = segments_.front()->created_ns();
  return counts;
}

}  // namespace mikroscope::sinks
