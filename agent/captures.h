// Windows of the ring that a trigger, or a person, asked to keep. Each is a packed copy in chunks of its own
// memory, filled as the samples come, a bounded amount in each tick.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "agent/ring.h"
#include "agent/triggers.h"
#include "proc/source.h"

namespace mikroscope::agent {

constexpr std::uint32_t kMaxCaptures = 64;
constexpr std::uint32_t kMaxCauses = 8;  // listed in one capture; further ones are counted
constexpr std::size_t kMaxReason = 128;
// A window grows with every further cause, up to so many times CAPTURE_POST_S after the first.
constexpr std::uint32_t kMostExtensions = 6;

struct Capture {
  std::uint64_t id = 0;  // 0: this place is free
  Cause causes[kMaxCauses];
  std::uint32_t cause_count = 0;
  std::uint64_t causes_dropped = 0;
  std::uint64_t first_seq = 0;  // wanted window
  std::uint64_t last_seq = 0;
  std::uint64_t samples = 0;  // of the window that are held
  std::uint64_t bytes = 0;    // memory taken, in whole chunks
  bool pending = false;
  bool cut = false;  // memory ran out before the window ended
  std::uint32_t first_chunk = 0;
  std::uint32_t last_chunk = 0;
  std::uint32_t chunks = 0;

  bool complete() const { return !pending && samples == last_seq - first_seq + 1; }
};

struct CaptureCounts {
  std::uint64_t refused_budget = 0;     // no memory and CAPTURE_POLICY=first
  std::uint64_t refused_empty = 0;      // nothing of the window was left in the ring
  std::uint64_t suppressed_manual = 0;  // asked for again within TRIGGER_REFRACTORY_S
  std::uint64_t extended = 0;
  std::uint64_t evicted = 0;
  std::uint64_t served_bytes = 0;
  std::uint64_t manual = 0;
};

struct CaptureSettings {
  bool keep_last = false;
  std::uint64_t pre_ticks = 50;
  std::uint64_t post_ticks = 50;
  std::uint64_t refractory_ticks = 100;
};

// A place between two records of a capture.
struct CapturePlace {
  std::uint32_t index = 0;  // of the chunk within the capture
  std::uint32_t chunk = 0;
  std::uint32_t offset = 0;
};

class Captures {
 public:
  Captures() = default;
  // Without memory (an unusable pool) triggers still mark the stream.
  Captures(base::Arena& arena, ChunkPool pool, const CaptureSettings& settings);
  bool enabled() const { return list_ != nullptr; }

  // `trigger` holds at cause.seq, the sample about to be stored: starts or extends a capture, and puts the
  // marker in front of the sample.
  void fire(Trigger& trigger, const Cause& cause, const Ring& ring, proc::EventSink& events);
  // A capture asked for by hand; its marker comes with the next sample. The id of the capture that is begun
  // or extended; 0: refused, `refused` says why.
  std::uint64_t fire_manual(std::string_view reason, const Cause& stamps, const Ring& ring,
                            proc::EventSink& events, std::string_view& refused);
  // After each sample: copies what is new for the pending capture.
  void advance(const Ring& ring);
  // Ends the pending capture with what it has (the agent stops).
  void finish();

  const Capture* find(std::uint64_t id) const;
  bool remove(std::uint64_t id);
  static CapturePlace start(const Capture& capture) { return {0, capture.first_chunk, 0}; }
  // The record at `place`, which moves behind it. False at the end.
  bool next(const Capture& capture, CapturePlace& place, proc::Record& out, std::string_view& whole) const;

  std::span<const Capture> all() const { return {list_, list_ == nullptr ? 0 : kMaxCaptures}; }  // unordered
  const Capture* pending() const { return pending_; }
  std::uint64_t held() const;
  std::uint64_t bytes() const {
    return enabled() ? (pool_.count() - pool_.free_count()) * pool_.stride() : 0;
  }
  std::uint64_t budget() const { return enabled() ? pool_.count() * pool_.stride() : 0; }
  const CaptureSettings& settings() const { return settings_; }
  CaptureCounts& counts() { return counts_; }
  const CaptureCounts& counts() const { return counts_; }

 private:
  std::uint64_t begin(const Cause& cause, const Ring& ring, std::string_view& refused);
  void extend(const Cause& cause);
  bool add_chunk(Capture& capture);
  bool store(Capture& capture, std::string_view record);
  bool evict_oldest();
  void release(Capture& capture);

  ChunkPool pool_;
  std::uint32_t* next_chunk_ = nullptr;
  std::uint32_t* used_ = nullptr;
  Capture* list_ = nullptr;
  Capture* pending_ = nullptr;
  Place from_;           // where copying goes on in the ring
  bool placed_ = false;  // from_ is set: the window's start is in the ring
  std::uint64_t last_id_ = 0;
  std::uint64_t last_manual_ = 0;
  CaptureSettings settings_{false, 0, 0, 0};
  CaptureCounts counts_;
};

// The {"capture":{…}} object of one capture, without braces around it and without '\n'.
void write_capture(const Capture& capture, base::Writer& out);

}  // namespace mikroscope::agent
