#include "plot/recording.h"

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstring>

#include "plot/hash_behind.h"

namespace mikroscope::plot {
namespace {

constexpr std::size_t kPiece = std::size_t{256} << 10;  // stays in the processor's cache while it is parsed
constexpr std::size_t kHeadBytes = 512;       // of a line: more than its four leading numbers can take
constexpr std::uint64_t kResumeEvery = 256;   // samples
constexpr std::size_t kIntervalsKept = 1023;  // for the usual sample distance
constexpr std::size_t kMaxNames = 100'000;
constexpr std::uint64_t kHeadRead = std::uint64_t{32} << 20;
constexpr std::uint64_t kTailRead = std::uint64_t{4} << 20;

// Cuts a stream of pieces into lines and hands on the beginning of each.
template <class OnLine>
class LineHeads {
 public:
  explicit LineHeads(OnLine on_line) : on_line_(on_line) {}

  void feed(std::string_view piece) {
    while (!piece.empty()) {
      const void* found = std::memchr(piece.data(), '\n', piece.size());
      const std::size_t n = found != nullptr
                                ? static_cast<std::size_t>(static_cast<const char*>(found) - piece.data())
                                : piece.size();
      if (found != nullptr && length_ == 0) {
        on_line_(piece.substr(0, n), offset_, n + 1);
      } else {
        if (head_.size() < kHeadBytes) head_.append(piece.substr(0, std::min(n, kHeadBytes - head_.size())));
        length_ += n;
        if (found == nullptr) return;
        on_line_(std::string_view(head_), offset_, length_ + 1);
        offset_ += length_ + 1;
        head_.clear();
        length_ = 0;
        piece.remove_prefix(n + 1);
        continue;
      }
      offset_ += n + 1;
      piece.remove_prefix(n + 1);
    }
  }
  // What stands after the last line break.
  std::string_view rest() const { return head_; }
  std::uint64_t rest_length() const { return length_; }
  std::uint64_t rest_offset() const { return offset_; }

 private:
  OnLine on_line_;
  std::string head_;
  std::uint64_t length_ = 0;
  std::uint64_t offset_ = 0;
};

// The integer after "name": in `line`, looked for from `at` on.
template <class T>
bool number_after(std::string_view line, std::string_view name, std::size_t& at, T& out) {
  const std::size_t found = line.find(name, at);
  if (found == std::string_view::npos) return false;
  std::size_t p = found + name.size();
  while (p < line.size() && line[p] == ' ') ++p;
  const auto [end, ec] = std::from_chars(line.data() + p, line.data() + line.size(), out);
  if (ec != std::errc()) return false;
  at = static_cast<std::size_t>(end - line.data());
  return true;
}

class Indexer {
 public:
  void line(std::string_view head, std::uint64_t offset, std::uint64_t length) {
    ++out_.lines;
    SampleHead sample;
    if (head.starts_with("{\"restart\"")) {
      if (head.substr(0, kHeadBytes).find("\"reboot\":true") != std::string_view::npos) cursor_.reboot();
    } else if (head.starts_with("{\"names\"")) {
      if (out_.names.size() < kMaxNames) out_.names.push_back({offset, static_cast<std::uint32_t>(length)});
    } else if (parse_head(head.substr(0, kHeadBytes), sample) && sample.seq != 0) {
      this->sample(sample, offset);
    }
  }

  std::uint64_t samples() const { return out_.samples; }
  const SampleHead& first() const { return first_; }

  RecordingIndex finish() {
    if (!intervals_.empty()) {
      const auto middle = intervals_.begin() + static_cast<std::ptrdiff_t>(intervals_.size() / 2);
      std::nth_element(intervals_.begin(), middle, intervals_.end());
      out_.interval_ns = *middle;
    }
    return std::move(out_);
  }

 private:
  void sample(const SampleHead& head, std::uint64_t offset) {
    const AxisCursor before = cursor_;
    const auto axis = cursor_.place(head);
    if (!axis) return;
    if (out_.samples % kResumeEvery == 0) out_.resume.push_back({before, *axis, offset});
    if (before.any() && intervals_.size() < kIntervalsKept && *axis > before.last()) {
      intervals_.push_back(*axis - before.last());
    }
    if (out_.samples == 0) first_ = head;
    out_.timeline.add(head, *axis, cursor_);
    ++out_.samples;
  }

  RecordingIndex out_;
  SampleHead first_;
  AxisCursor cursor_;
  std::vector<std::int64_t> intervals_;
};

}  // namespace

FilePieces::~FilePieces() {
  if (fd_ >= 0) ::close(fd_);
}

base::Result<void> FilePieces::open(const std::string& path) {
  path_ = path;
  fd_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd_ < 0)
    return base::Error{fmt::format("cannot open {}: {}", path, std::strerror(errno)), {}, base::Exit::failed};
  return {};
}

base::Result<std::string_view> FilePieces::next() {
  std::vector<char>& buffer = buffers_[turn_++ % kValid];
  buffer.resize(kPiece);
  for (;;) {
    const ssize_t n = ::pread(fd_, buffer.data(), buffer.size(), static_cast<off_t>(offset_));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      return base::Error{
          fmt::format("cannot read {}: {}", path_, std::strerror(errno)), {}, base::Exit::failed};
    }
    offset_ += static_cast<std::uint64_t>(n);
    return std::string_view(buffer.data(), static_cast<std::size_t>(n));
  }
}

std::uint64_t FilePieces::size() const {
  struct stat st {};
  return ::fstat(fd_, &st) == 0 ? static_cast<std::uint64_t>(st.st_size) : 0;
}

std::string FilePieces::at(std::uint64_t offset, std::size_t length) {
  std::string out(length, '\0');
  const ssize_t n = ::pread(fd_, out.data(), length, static_cast<off_t>(offset));
  out.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
  return out;
}

bool parse_head(std::string_view line, SampleHead& out) {
  if (line.empty() || line[0] != '{') return false;
  std::size_t at = 0;
  SampleHead h;
  if (!number_after(line, "\"seq\":", at, h.seq) || at > 40) return false;
  if (!number_after(line, "\"boot_ns\":", at, h.boot_ns)) return false;
  if (!number_after(line, "\"wall_ns\":", at, h.wall_ns)) return false;
  number_after(line, "\"dt_ns\":", at, h.dt_ns);
  out = h;
  return true;
}

std::optional<RecordingEnds> index_ends(const std::string& path) {
  FilePieces file;
  if (!file.open(path)) return std::nullopt;
  const std::uint64_t size = file.size();
  // The beginning gives the first sample and the usual distance.
  RecordingEnds out;
  Indexer indexer;
  std::uint64_t read = 0;
  LineHeads lines([&](std::string_view head, std::uint64_t offset, std::uint64_t length) {
    indexer.line(head, offset, length);
  });
  while (read < kHeadRead && indexer.samples() <= kIntervalsKept) {
    const auto piece = file.next();
    if (!piece || piece->empty()) break;
    read += piece->size();
    lines.feed(*piece);
  }
  const SampleHead first = indexer.first();
  out.index = indexer.finish();
  if (out.index.samples == 0) return std::nullopt;
  // The end gives the last one. Events may follow it; a longer tail than this is unusual.
  const std::uint64_t from = size > kTailRead ? size - kTailRead : 0;
  const std::string tail = file.at(from, kTailRead);
  if (tail.empty()) return std::nullopt;
  out.index.cut_last_line = tail.back() != '\n';
  for (std::size_t end = tail.rfind('\n'); end != std::string::npos && end != 0;) {
    const std::size_t before = tail.rfind('\n', end - 1);
    if (before == std::string::npos && from != 0) break;
    const std::size_t begin = before == std::string::npos ? 0 : before + 1;
    SampleHead last;
    if (parse_head(std::string_view(tail).substr(begin, std::min(end - begin, kHeadBytes)), last) &&
        last.seq != 0) {
      if (last.boot_ns < first.boot_ns) return std::nullopt;
      out.end_ns = last.boot_ns - first.boot_ns;
      out.index.resume.clear();
      out.index.names.clear();
      out.index.timeline = {};
      return out;
    }
    end = before;
  }
  return std::nullopt;
}

base::Result<RecordingIndex> index_recording(const std::string& path, bool with_hash) {
  FilePieces file;
  if (auto opened = file.open(path); !opened) return opened.error();
  std::optional<HashBehind> hash;
  if (with_hash) hash.emplace(FilePieces::kValid);
  Indexer indexer;
  LineHeads lines([&indexer](std::string_view head, std::uint64_t offset, std::uint64_t length) {
    indexer.line(head, offset, length);
  });
  for (;;) {
    auto piece = file.next();
    if (!piece) return piece.error();
    if (piece->empty()) break;
    if (hash) hash->update(*piece);
    lines.feed(*piece);
  }
  const bool cut = lines.rest_length() != 0;
  // A last line without its line break is a whole one if its braces say so; the reader decides, and says.
  if (cut && lines.rest_length() <= kHeadBytes && lines.rest().ends_with('}')) {
    indexer.line(lines.rest(), lines.rest_offset(), lines.rest_length());
  }
  RecordingIndex index = indexer.finish();
  index.cut_last_line = cut;
  if (hash) index.sha256 = hash->hex();
  return index;
}

}  // namespace mikroscope::plot
