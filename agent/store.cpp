#include "agent/store.h"

namespace mikroscope::agent {
namespace {

// Decodes on until frame `since` was the last one.
bool advance(const Ring& ring, StandingDecoder& d, std::uint64_t since) {
  while (d.last_seq < since) {
    proc::Record record;
    std::string_view whole;
    if (!ring.next(d.place, record, whole)) return false;
    if (record.kind == proc::RecordKind::base) {
      if (!d.decoder.base(record.payload)) return false;
    } else if (record.kind == proc::RecordKind::frame) {
      if (!d.decoder.frame(record.payload)) return false;
      d.last_seq = d.place.next_seq - 1;
    }
  }
  return true;
}

}  // namespace

StandingDecoder* Store::decoder_at(std::uint64_t since) {
  if (ring.held() == 0) return nullptr;
  ++decoder_uses;
  for (StandingDecoder& d : decoders) {
    if (d.last_seq == 0 || d.last_seq != since || !ring.holds(d.place)) continue;
    d.used = decoder_uses;
    return &d;
  }
  Place exact;
  const Place base = ring.base_for(since, exact);
  StandingDecoder* best = nullptr;
  for (StandingDecoder& d : decoders) {
    // Standing between the base and the wanted place: nothing to gain from starting at the base.
    if (d.last_seq == 0 || d.last_seq > since || d.last_seq + 1 < base.next_seq || !ring.holds(d.place))
      continue;
    if (best == nullptr || d.last_seq > best->last_seq) best = &d;
  }
  if (best == nullptr) {
    best = &decoders[0];
    for (StandingDecoder& d : decoders) {
      if (d.used < best->used) best = &d;
    }
    best->place = base;
    best->last_seq = base.next_seq - 1;
  }
  best->used = decoder_uses;
  if (advance(ring, *best, since)) return best;
  best->last_seq = 0;
  return nullptr;
}

}  // namespace mikroscope::agent
