#include "agent/ring.h"

#include <cstring>

namespace mikroscope::agent {
namespace {

constexpr std::uint64_t kPage = 4096;

constexpr std::uint64_t pages(std::uint64_t bytes) {
  return (bytes + kPage - 1) / kPage * kPage;
}

}  // namespace

ChunkPool::ChunkPool(base::Arena& index, char* memory, std::size_t nominal, std::size_t stride,
                     std::uint32_t count)
    : memory_(memory), count_(count), nominal_(nominal), stride_(stride) {
  free_ = index.make<std::uint32_t>(count);
  if (free_ == nullptr) return;
  for (std::uint32_t i = 0; i < count; ++i) free_[i] = count - 1 - i;
  free_count_ = count;
}

int ChunkPool::take() {
  return free_count_ == 0 ? -1 : static_cast<int>(free_[--free_count_]);
}

Ring::Ring(base::Arena& index, ChunkPool pool, std::uint64_t keep_frames)
    : pool_(pool), keep_frames_(keep_frames) {
  order_ = index.make<Chunk>(pool.count());
}

void Ring::drop_oldest() {
  const Chunk& oldest = chunk(first_serial_);
  bytes_ -= oldest.used;
  pool_.give(oldest.id);
  ++first_serial_;
  --count_;
}

bool Ring::open_chunk(std::uint64_t seq) {
  while (count_ > 1 && newest_ - chunk(first_serial_ + 1).first_seq + 1 >= keep_frames_) drop_oldest();
  int id = pool_.take();
  if (id < 0) {
    ++cut_short_;
    drop_oldest();
    id = pool_.take();
  }
  chunk(first_serial_ + count_) = {seq, static_cast<std::uint32_t>(id), 0, 0};
  ++count_;
  return true;
}

bool Ring::append(std::string_view group, std::uint64_t seq) {
  if (group.size() > pool_.stride()) return false;
  if (wants_base()) open_chunk(seq);
  Chunk* current = &newest_chunk();
  if (group.size() > pool_.stride() - current->used) return false;
  std::memcpy(pool_.data(current->id) + current->used, group.data(), group.size());
  current->used += static_cast<std::uint32_t>(group.size());
  ++current->frames;
  bytes_ += group.size();
  newest_ = seq;
  return true;
}

bool Ring::next(Place& place, proc::Record& out, std::string_view& whole) const {
  for (;;) {
    const Chunk& c = chunk(place.serial);
    if (place.offset < c.used) {
      std::string_view in(pool_.data(c.id) + place.offset, c.used - place.offset);
      const char* const start = in.data();
      if (proc::read_record(in, out, pool_.stride()) != 1) return false;
      whole = {start, static_cast<std::size_t>(in.data() - start)};
      place.offset += static_cast<std::uint32_t>(whole.size());
      if (out.kind == proc::RecordKind::frame) ++place.next_seq;
      return true;
    }
    if (place.serial + 1 >= first_serial_ + count_) return false;
    place = {place.serial + 1, 0, chunk(place.serial + 1).first_seq};
  }
}

Place Ring::base_for(std::uint64_t since, Place& exact) const {
  // The last chunk that starts at or before the wanted frame. At the live end that frame may not exist yet.
  const std::uint64_t wanted = since < newest_ ? since + 1 : newest_;
  std::uint64_t low = first_serial_;
  std::uint64_t high = first_serial_ + count_ - 1;
  while (low < high) {
    const std::uint64_t middle = low + (high - low + 1) / 2;
    if (chunk(middle).first_seq <= wanted) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  Place at{low, 0, chunk(low).first_seq};
  Place base = at;
  exact = at;
  while (at.next_seq <= since || (at.next_seq == since + 1 && since + 1 <= newest_)) {
    const Place before = at;
    proc::Record record;
    std::string_view whole;
    if (!next(at, record, whole)) break;
    if (record.kind == proc::RecordKind::base) base = before;
    if (record.kind == proc::RecordKind::frame && before.next_seq == since) exact = at;
    if (record.kind == proc::RecordKind::frame && before.next_seq > since) break;
  }
  return base;
}

RingPlan plan_ring(std::uint64_t keep_frames, std::uint32_t frames_per_base, std::uint64_t used_cells,
                   std::uint64_t base_bytes) {
  constexpr std::uint64_t kHead = 64;         // stamps, presence, events of an ordinary tick
  constexpr std::uint64_t kLargeSmall = 384;  // cells up to here may all change in one tick, at a byte each
  constexpr std::uint64_t kLeastChunk = 16 * 1024;
  constexpr std::uint64_t kMostChunk = 256 * 1024;
  constexpr std::uint64_t kEvents = 8 * 1024;
  RingPlan plan;
  // Half of the cells at one byte and a bit more. Of machines with very many cells (interrupt rows times
  // CPUs) an eighth.
  const std::uint64_t half = used_cells * 5 / 8;
  const std::uint64_t moving = half < kLargeSmall ? half : kLargeSmall + (half - kLargeSmall) / 8;
  plan.frame_bytes = kHead + moving + base_bytes / frames_per_base + 1;
  const std::uint64_t wanted = plan.frame_bytes * keep_frames;
  plan.nominal = pages(wanted / 16);
  if (plan.nominal < kLeastChunk) plan.nominal = kLeastChunk;
  if (plan.nominal > kMostChunk) plan.nominal = kMostChunk;
  if (plan.nominal < 4 * base_bytes) plan.nominal = pages(4 * base_bytes);
  // The largest group: a base, every cell changed by a large number, and a full load of events.
  plan.stride = pages(plan.nominal + 2 * base_bytes + used_cells * 10 + kEvents + kPage);
  // One more for the chunk being filled and one for the one that is not yet given up.
  plan.chunks = (wanted + plan.nominal - 1) / plan.nominal + 2;
  plan.bytes = plan.chunks * plan.stride;
  return plan;
}

}  // namespace mikroscope::agent
