// What is served: the ring with everything that a reader of it needs, and decoders that are shared by all
// replies.
#pragma once

#include <cstdint>
#include <string_view>

#include "agent/machine.h"
#include "agent/recorder.h"
#include "agent/ring.h"
#include "proc/codec.h"

namespace mikroscope::agent {

// A decoder that remembers where in the ring it stands: a puller that follows the live end costs one decoded
// frame for each new sample, not a whole block for each pull.
struct StandingDecoder {
  proc::FrameDecoder decoder;
  Place place;                 // behind the last decoded frame
  std::uint64_t last_seq = 0;  // 0: stands nowhere
  std::uint64_t used = 0;      // for replacing the one that was not used longest
};

struct Store {
  static constexpr std::uint32_t kDecoders = 2;  // the live end, and one reply from further back

  const proc::Layout* layout = nullptr;
  const MachineFacts* facts = nullptr;
  Recorder* recorder = nullptr;
  Ring ring;
  std::uint32_t rate_hz = 0;
  std::uint32_t schema_hash = 0;
  StandingDecoder decoders[kDecoders];
  std::uint64_t decoder_uses = 0;

  proc::FrameDecoder capture_decoder;
  std::uint64_t capture_decoder_id = 0;  // the capture that it stands in, behind so many records
  std::uint64_t capture_decoder_at = 0;

  proc::Hello hello() const {
    proc::Hello h;
    h.instance = facts->instance;
    h.boot_id = facts->boot_id;
    h.rate_hz = rate_hz;
    h.schema_hash = schema_hash;
    return h;
  }
  // A decoder whose last frame is `since`, which must be in [oldest-1, newest]; nullptr: the records cannot
  // be decoded. With since == oldest-1 it stands right behind the base of the oldest block.
  StandingDecoder* decoder_at(std::uint64_t since);
};

}  // namespace mikroscope::agent
