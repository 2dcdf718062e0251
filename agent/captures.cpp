#include "agent/captures.h"

#include <cstring>

namespace mikroscope::agent {
namespace {

constexpr std::size_t kCopyBytesPerTick = 64 * 1024;

void set_field(Cause& cause, std::string_view text) {
  const std::size_t size = text.size() < sizeof cause.field ? text.size() : sizeof cause.field;
  if (size != 0) std::memcpy(cause.field, text.data(), size);
  cause.field_size = static_cast<std::uint8_t>(size);
}

}  // namespace

Captures::Captures(base::Arena& arena, ChunkPool pool, const CaptureSettings& settings)
    : pool_(pool), settings_(settings) {
  if (!pool_.usable() || pool_.count() == 0) return;
  next_chunk_ = arena.make<std::uint32_t>(pool.count());
  used_ = arena.make<std::uint32_t>(pool.count());
  if (next_chunk_ != nullptr && used_ != nullptr) list_ = arena.make<Capture>(kMaxCaptures);
}

std::uint64_t Captures::held() const {
  std::uint64_t n = 0;
  for (const Capture& c : all()) n += c.id != 0 ? 1 : 0;
  return n;
}

const Capture* Captures::find(std::uint64_t id) const {
  for (const Capture& c : all()) {
    if (c.id == id && id != 0) return &c;
  }
  return nullptr;
}

void Captures::release(Capture& capture) {
  std::uint32_t chunk = capture.first_chunk;
  for (std::uint32_t i = 0; i < capture.chunks; ++i) {
    const std::uint32_t next = next_chunk_[chunk];
    pool_.give(chunk);
    chunk = next;
  }
  if (pending_ == &capture) pending_ = nullptr;
  capture = Capture{};
}

bool Captures::remove(std::uint64_t id) {
  for (std::uint32_t i = 0; enabled() && i < kMaxCaptures; ++i) {
    if (list_[i].id != id || id == 0) continue;
    release(list_[i]);
    return true;
  }
  return false;
}

bool Captures::evict_oldest() {
  Capture* oldest = nullptr;
  for (std::uint32_t i = 0; i < kMaxCaptures; ++i) {
    Capture& c = list_[i];
    if (c.id != 0 && !c.pending && (oldest == nullptr || c.id < oldest->id)) oldest = &c;
  }
  if (oldest == nullptr) return false;
  release(*oldest);
  ++counts_.evicted;
  return true;
}

bool Captures::add_chunk(Capture& capture) {
  int chunk = pool_.take();
  if (chunk < 0 && settings_.keep_last && evict_oldest()) chunk = pool_.take();
  if (chunk < 0) return false;
  const auto id = static_cast<std::uint32_t>(chunk);
  used_[id] = 0;
  if (capture.chunks == 0) {
    capture.first_chunk = id;
  } else {
    next_chunk_[capture.last_chunk] = id;
  }
  capture.last_chunk = id;
  ++capture.chunks;
  capture.bytes += pool_.stride();
  return true;
}

std::uint64_t Captures::begin(const Cause& cause, const Ring& ring, std::string_view& refused) {
  if (!enabled()) {
    refused = "off";
    return ++last_id_;
  }
  Capture* place = nullptr;
  for (int attempt = 0; attempt < 2 && place == nullptr; ++attempt) {
    if (attempt == 1 && !(settings_.keep_last && evict_oldest())) break;
    for (std::uint32_t i = 0; i < kMaxCaptures && place == nullptr; ++i) {
      if (list_[i].id == 0) place = &list_[i];
    }
  }
  const std::uint64_t id = ++last_id_;
  if (place != nullptr) {
    *place = Capture{};
    if (!add_chunk(*place)) place = nullptr;
  }
  if (place == nullptr) {
    ++counts_.refused_budget;
    refused = "budget";
    return id;
  }
  Capture& c = *place;
  c.id = id;
  c.pending = true;
  c.causes[0] = cause;
  c.cause_count = 1;
  c.first_seq = cause.seq > settings_.pre_ticks ? cause.seq - settings_.pre_ticks : 1;
  // What the ring no longer holds of the time before cannot be had: the window says so by `complete`.
  c.last_seq = cause.seq + settings_.post_ticks;
  pending_ = &c;
  placed_ = false;
  if (ring.held() != 0) {
    const std::uint64_t first = c.first_seq > ring.oldest() ? c.first_seq : ring.oldest();
    Place exact;
    from_ = ring.base_for(first - 1, exact);
    placed_ = true;
  }
  return id;
}

void Captures::extend(const Cause& cause) {
  Capture& c = *pending_;
  if (c.cause_count < kMaxCauses) {
    c.causes[c.cause_count++] = cause;
  } else {
    ++c.causes_dropped;
  }
  const std::uint64_t most = c.causes[0].seq + settings_.post_ticks * kMostExtensions;
  const std::uint64_t wanted = cause.seq + settings_.post_ticks;
  c.last_seq = wanted < most ? wanted : most;
  ++counts_.extended;
}

void Captures::fire(Trigger& trigger, const Cause& cause, const Ring& ring, proc::EventSink& events) {
  if (trigger.last_fired != 0 && cause.seq - trigger.last_fired < settings_.refractory_ticks) {
    ++trigger.suppressed;
    return;
  }
  trigger.last_fired = cause.seq;
  ++trigger.fired;
  std::string_view refused;
  std::uint64_t id = 0;
  if (pending_ != nullptr) {
    id = pending_->id;
    extend(cause);
  } else {
    id = begin(cause, ring, refused);
  }
  char line[512];
  base::Writer out(line, sizeof line);
  write_trigger(id, cause, refused, out);
  events.event(out.view());
}

std::uint64_t Captures::fire_manual(std::string_view reason, const Cause& stamps, const Ring& ring,
                                    proc::EventSink& events, std::string_view& refused) {
  if (last_manual_ != 0 && stamps.seq - last_manual_ < settings_.refractory_ticks) {
    ++counts_.suppressed_manual;
    refused = "refractory";
    return 0;
  }
  Cause cause = stamps;
  cause.condition = {};
  set_field(cause, reason);
  std::uint64_t id = 0;
  if (pending_ != nullptr) {
    id = pending_->id;
    extend(cause);
  } else {
    id = begin(cause, ring, refused);
    if (!refused.empty()) return 0;
  }
  last_manual_ = stamps.seq;
  ++counts_.manual;
  char line[1024];  // a reason of control characters is six times as long in JSON
  base::Writer out(line, sizeof line);
  write_trigger(id, cause, {}, out);
  events.event(out.view());
  return id;
}

bool Captures::store(Capture& capture, std::string_view record) {
  if (record.size() > pool_.stride() - used_[capture.last_chunk]) {
    if (record.size() > pool_.stride() || !add_chunk(capture)) return false;
  }
  std::memcpy(pool_.data(capture.last_chunk) + used_[capture.last_chunk], record.data(), record.size());
  used_[capture.last_chunk] += static_cast<std::uint32_t>(record.size());
  return true;
}

void Captures::advance(const Ring& ring) {
  if (pending_ == nullptr || ring.held() == 0) return;
  Capture& c = *pending_;
  if (!placed_ || !ring.holds(from_)) {
    from_ = ring.start();
    placed_ = true;
  }
  std::size_t copied = 0;
  bool ended = false;
  while (copied < kCopyBytesPerTick && from_.next_seq <= c.last_seq) {
    const std::uint64_t seq = from_.next_seq;
    proc::Record record;
    std::string_view whole;
    if (!ring.next(from_, record, whole)) break;
    // Frames before the window are kept where decoding needs them; their events are not.
    if (record.kind == proc::RecordKind::event && from_.next_seq < c.first_seq) continue;
    if (!store(c, whole)) {
      c.cut = true;
      ended = true;
      break;
    }
    copied += whole.size();
    if (record.kind == proc::RecordKind::frame && seq >= c.first_seq) ++c.samples;
  }
  if (!ended && from_.next_seq <= c.last_seq) return;
  c.pending = false;
  pending_ = nullptr;
  if (c.samples == 0) {
    ++counts_.refused_empty;
    release(c);
  }
}

void Captures::finish() {
  if (pending_ == nullptr) return;
  pending_->pending = false;
  pending_ = nullptr;
}

bool Captures::next(const Capture& capture, CapturePlace& place, proc::Record& out,
                    std::string_view& whole) const {
  while (place.index < capture.chunks) {
    if (place.offset < used_[place.chunk]) {
      std::string_view in(pool_.data(place.chunk) + place.offset, used_[place.chunk] - place.offset);
      const char* const start = in.data();
      if (proc::read_record(in, out, pool_.stride()) != 1) return false;
      whole = {start, static_cast<std::size_t>(in.data() - start)};
      place.offset += static_cast<std::uint32_t>(whole.size());
      return true;
    }
    if (place.index + 1 == capture.chunks) return false;
    place = {place.index + 1, next_chunk_[place.chunk], 0};
  }
  return false;
}

namespace {

// The first members of a cause, up to its threshold.
void write_cause(const Cause& cause, base::Writer& out) {
  out.print("\"cause\":%j,\"field\":%j,\"value\":",
            cause.condition.empty() ? std::string_view("manual") : cause.condition, cause.field_text());
  put_scaled(cause.value, out);
  out.put(",\"threshold\":");
  put_scaled(cause.threshold, out);
}

}  // namespace

void write_capture(const Capture& capture, base::Writer& out) {
  const Cause& first = capture.causes[0];
  out.print("{\"id\":%u,", capture.id);
  write_cause(first, out);
  out.print(
      ",\"fire_seq\":%u,\"fire_boot_ns\":%d,\"fire_wall_ns\":%d,\"first_seq\":%u,\"last_seq\":%u,\"samples\":"
      "%u,"
      "\"bytes\":%u,\"complete\":%s",
      first.seq, first.boot_ns, first.wall_ns, capture.first_seq, capture.last_seq, capture.samples,
      capture.bytes, capture.complete() ? std::string_view("true") : std::string_view("false"));
  if (capture.pending) out.put(",\"pending\":true");
  if (capture.cut) out.put(",\"cut\":true");
  out.put(",\"causes\":[");
  for (std::uint32_t i = 0; i < capture.cause_count; ++i) {
    const Cause& c = capture.causes[i];
    if (i != 0) out.put(',');
    out.put('{');
    write_cause(c, out);
    out.print(",\"seq\":%u,\"wall_ns\":%d}", c.seq, c.wall_ns);
  }
  out.print("],\"causes_dropped\":%u}", capture.causes_dropped);
}

}  // namespace mikroscope::agent
