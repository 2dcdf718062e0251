#include "sinks/pipeline/segment.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/clock.h"

namespace mikroscope::sinks {
namespace {

// Head of a segment: magic, first event, CLOCK_REALTIME of its making, checksum. Little endian, like all of
// it.
constexpr char kMagic[8] = {'m', 'k', 's', 'p', 'o', 'o', 'l', '1'};
constexpr std::size_t kHead = 8 + 8 + 8 + 4;
// Head of a record: size of the payload, checksum of type and payload, type.
constexpr std::size_t kRecordHead = 4 + 4 + 1;
constexpr std::uint32_t kMaxPayload = 64U << 20;

template <class T>
void put(T value, std::string& out) {
  for (std::size_t i = 0; i < sizeof(T); ++i) out.push_back(static_cast<char>(value >> (8 * i) & 0xff));
}
template <class T>
T get(const char* from) {
  T value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i)
    value |= static_cast<T>(static_cast<std::uint8_t>(from[i])) << (8 * i);
  return value;
}

std::uint32_t checksum(std::string_view bytes, std::uint32_t start = 0) {
  return static_cast<std::uint32_t>(
      crc32(start, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(bytes.size())));
}
std::uint32_t record_checksum(std::uint8_t type, std::string_view payload) {
  const char t = static_cast<char>(type);
  return checksum(payload, checksum({&t, 1}));
}

base::Error failed(const char* tried, const std::string& path, std::string fix = {}) {
  return {fmt::format("{} {}: {}", tried, path, std::strerror(errno)), std::move(fix), base::Exit::failed};
}

}  // namespace

Segment::~Segment() {
  if (fd_ >= 0) close(fd_);
}

base::Result<std::shared_ptr<Segment>> Segment::create(const std::string& path, std::uint64_t first_event) {
  std::shared_ptr<Segment> segment(new Segment);
  segment->path_ = path;
  segment->first_event_ = first_event;
  segment->created_ns_ = base::wall_ns();
  if (!path.empty()) {
    // A file that a crash left before its head was whole is written over: it holds nothing.
    segment->fd_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (segment->fd_ < 0)
      return failed("cannot create", path, "give --spool a directory that can be written to");
  }
  std::string head(kMagic, sizeof kMagic);
  put<std::uint64_t>(first_event, head);
  put<std::uint64_t>(static_cast<std::uint64_t>(segment->created_ns_), head);
  put<std::uint32_t>(checksum(head), head);
  if (auto done = segment->append(head); !done.ok()) {
    segment->remove();
    return done.error();
  }
  return segment;
}

base::Result<std::shared_ptr<Segment>> Segment::open(const std::string& path, bool repair) {
  std::shared_ptr<Segment> segment(new Segment);
  segment->path_ = path;
  segment->fd_ = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (segment->fd_ < 0) return failed("cannot open", path);
  struct stat st {};
  if (fstat(segment->fd_, &st) != 0) return failed("cannot look at", path);
  segment->bytes_ = static_cast<std::uint64_t>(st.st_size);
  char head[kHead];
  if (!segment->fetch(0, kHead, head) || std::memcmp(head, kMagic, sizeof kMagic) != 0 ||
      get<std::uint32_t>(head + kHead - 4) != checksum({head, kHead - 4})) {
    return base::Error{"no segment of a spool: " + path, "", base::Exit::no_data};
  }
  segment->first_event_ = get<std::uint64_t>(head + 8);
  segment->created_ns_ = static_cast<std::int64_t>(get<std::uint64_t>(head + 16));
  if (!repair) return segment;

  // The last record may be half written; whatever stands before it was whole once, and stays even if it is
  // damaged now.
  std::uint64_t end = kHead;
  Record record;
  for (Found found; (found = segment->read(end, record)) != Found::end;) {
    if (found == Found::damaged && record.next >= segment->bytes_) break;
    end = record.next;
  }
  if (end < segment->bytes_) {
    segment->cut_bytes_ = segment->bytes_ - end;
    if (ftruncate(segment->fd_, static_cast<off_t>(end)) != 0) return failed("cannot shorten", path);
    segment->bytes_ = end;
  }
  return segment;
}

base::Result<void> Segment::append(std::string_view records) {
  const std::uint64_t at = bytes();
  if (fd_ < 0) {
    const std::lock_guard lock(mutex_);
    memory_.append(records);
    bytes_ += records.size();
    return {};
  }
  for (std::size_t done = 0; done < records.size();) {
    const ssize_t n =
        pwrite(fd_, records.data() + done, records.size() - done, static_cast<off_t>(at + done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      if (n == 0) errno = ENOSPC;
      const base::Error error =
          failed("cannot write to", path_, "make room on that disk, or lower --spool-max");
      // Readers never look behind what was appended whole, so a failing cut does no harm now; open() cuts
      // again.
      [[maybe_unused]] const int cut = ftruncate(fd_, static_cast<off_t>(at));
      return error;
    }
    done += static_cast<std::size_t>(n);
  }
  const std::lock_guard lock(mutex_);
  bytes_ = at + records.size();
  return {};
}

void Segment::put_record(RecordType type, std::string_view payload, std::string& out) {
  put<std::uint32_t>(static_cast<std::uint32_t>(payload.size()), out);
  put<std::uint32_t>(record_checksum(static_cast<std::uint8_t>(type), payload), out);
  out.push_back(static_cast<char>(type));
  out.append(payload);
}

bool Segment::fetch(std::uint64_t offset, std::size_t size, char* to) const {
  if (fd_ < 0) {
    const std::lock_guard lock(mutex_);
    if (offset + size > memory_.size()) return false;
    std::memcpy(to, memory_.data() + offset, size);
    return true;
  }
  for (std::size_t done = 0; done < size;) {
    const ssize_t n = pread(fd_, to + done, size - done, static_cast<off_t>(offset + done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    done += static_cast<std::size_t>(n);
  }
  return true;
}

Segment::Found Segment::read(std::uint64_t offset, Record& record) const {
  const std::uint64_t end = bytes();
  if (offset >= end) return Found::end;
  record.next = end;
  char head[kRecordHead];
  if (end - offset < kRecordHead || !fetch(offset, kRecordHead, head)) return Found::damaged;
  const auto size = get<std::uint32_t>(head);
  if (size > kMaxPayload || size > end - offset - kRecordHead) return Found::damaged;
  record.payload.resize(size);
  if (!fetch(offset + kRecordHead, size, record.payload.data())) return Found::damaged;
  const auto type = static_cast<std::uint8_t>(head[8]);
  record.type = static_cast<RecordType>(type);
  record.next = offset + kRecordHead + size;
  return get<std::uint32_t>(head + 4) == record_checksum(type, record.payload) ? Found::record
                                                                               : Found::damaged;
}

std::uint64_t Segment::first_offset() const {
  return kHead;
}

std::uint64_t Segment::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

void Segment::sync() const {
  if (fd_ >= 0) fdatasync(fd_);
}

void Segment::remove() const {
  if (!path_.empty()) unlink(path_.c_str());
}

void Segment::discard() const {
  remove();
  // A reader that still has it open would keep its room taken.
  if (fd_ < 0) return;
  [[maybe_unused]] const int cut = ftruncate(fd_, 0);
}

}  // namespace mikroscope::sinks
