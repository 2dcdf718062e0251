#include "agent/recorder.h"

#include <cstring>

#include "base/text.h"

namespace mikroscope::agent {
namespace {

constexpr std::size_t kEventBytes = 8 * 1024;  // of one tick
constexpr std::size_t kMostPerCell = 11;       // a token and a full varint
constexpr std::size_t kUsualHead = 3;          // kind and a length of 128 to 16383

// The "level" of a {"log":{…}} line; 8 where it has none.
int log_level(std::string_view line) {
  constexpr std::string_view kLog = "{\"log\":";
  constexpr std::string_view kLevel = "\"level\":";
  if (!line.starts_with(kLog)) return 8;
  const std::size_t at = line.find(kLevel);
  if (at == std::string_view::npos || at + kLevel.size() >= line.size()) return 8;
  const char digit = line[at + kLevel.size()];
  return digit >= '0' && digit <= '7' ? digit - '0' : 8;
}

}  // namespace

Recorder::Recorder(base::Arena& arena, proc::Layout& layout, std::uint32_t frames_per_base)
    : layout_(&layout), track_(proc::make_track(arena, layout)), frames_per_base_(frames_per_base) {
  // A base and a frame, each with every cell at its longest, and the events; only what is used becomes
  // resident.
  group_capacity_ = 2 * (layout.slots * kMostPerCell + 4096) + kEventBytes;
  group_ = static_cast<char*>(arena.take(group_capacity_, 1));
  events_ = static_cast<char*>(arena.take(kEventBytes, 1));
  if (events_ == nullptr) group_ = nullptr;
}

std::uint64_t Recorder::base_bytes() {
  proc::grow(*layout_, track_);
  proc::ByteWriter out(group_, group_capacity_);
  proc::write_base(out, *layout_, track_);
  return out.size();
}

void Recorder::event(std::string_view line) {
  char head[1 + proc::kMaxVarint];
  const std::size_t head_size = proc::record_head(proc::RecordKind::event, line.size(), head);
  const int level = log_level(line);
  if (level < least_log_level_) least_log_level_ = level;
  if (head_size + line.size() > kEventBytes - events_size_) {
    ++events_lost_;
    return;
  }
  std::memcpy(events_ + events_size_, head, head_size);
  std::memcpy(events_ + events_size_ + head_size, line.data(), line.size());
  events_size_ += head_size + line.size();
}

// Puts a head before a payload that lies at group_ + at + kUsualHead, and returns where the record ends.
std::size_t Recorder::put_record(proc::RecordKind kind, std::size_t at, std::string_view payload) {
  char head[1 + proc::kMaxVarint];
  const std::size_t head_size = proc::record_head(kind, payload.size(), head);
  if (head_size != kUsualHead) std::memmove(group_ + at + head_size, payload.data(), payload.size());
  std::memcpy(group_ + at, head, head_size);
  return at + head_size + payload.size();
}

bool Recorder::commit(proc::State& now, Ring& ring) {
  grew_ |= proc::grow(*layout_, track_);
  if (grew_) rows_changed_seq_ = now.head.seq;
  constexpr std::size_t kSpare = proc::kMaxVarint;
  std::size_t size = 0;
  bool fits = true;
  if (grew_ || need_base_ || frames_since_base_ >= frames_per_base_ || ring.wants_base()) {
    track_.head.seq = now.head.seq - 1;  // also where the sample before found no room
    proc::ByteWriter out(group_ + kUsualHead, group_capacity_ - kUsualHead - kSpare);
    proc::write_base(out, *layout_, track_);
    fits = !out.overflow();
    size = put_record(proc::RecordKind::base, 0, out.view());
    frames_since_base_ = 0;
  }
  std::memcpy(group_ + size, events_, events_size_);
  size += events_size_;
  proc::ByteWriter out(group_ + size + kUsualHead, group_capacity_ - size - kUsualHead - kSpare);
  proc::write_frame(out, *layout_, now, track_);
  fits = fits && !out.overflow();
  size = put_record(proc::RecordKind::frame, size, out.view());
  events_size_ = 0;
  least_log_level_ = 8;
  grew_ = false;
  ++frames_since_base_;
  if (fits && ring.append({group_, size}, now.head.seq)) {
    need_base_ = false;
    return true;
  }
  ++samples_lost_;
  need_base_ = true;
  return false;
}

}  // namespace mikroscope::agent
