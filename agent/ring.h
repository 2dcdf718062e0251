// The flight recorder: packed records of the newest samples in memory that is taken once. Records lie in
// chunks; the oldest chunk is given up whole. Chunks are used again before untouched ones are, so that only
// as much memory becomes resident as the samples need.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/arena.h"
#include "proc/codec.h"

namespace mikroscope::agent {

// A fixed number of equal pieces of memory. A chunk takes records until it holds `nominal` bytes; the rest of
// its stride is room for the record that crosses that mark.
class ChunkPool {
 public:
  ChunkPool() = default;
  ChunkPool(base::Arena& index, char* memory, std::size_t nominal, std::size_t stride, std::uint32_t count);
  bool usable() const { return free_ != nullptr; }

  int take();  // -1: none is free
  void give(std::uint32_t chunk) { free_[free_count_++] = chunk; }
  char* data(std::uint32_t chunk) const { return memory_ + chunk * stride_; }
  std::size_t nominal() const { return nominal_; }
  std::size_t stride() const { return stride_; }
  std::uint32_t count() const { return count_; }
  std::uint32_t free_count() const { return free_count_; }

 private:
  char* memory_ = nullptr;
  std::uint32_t* free_ = nullptr;  // a stack: the last one given back is the next one taken
  std::uint32_t free_count_ = 0;
  std::uint32_t count_ = 0;
  std::size_t nominal_ = 0;
  std::size_t stride_ = 0;
};

// A place between two records of the ring.
struct Place {
  std::uint64_t serial = 0;  // of the chunk; they count from 0 and are never used again
  std::uint32_t offset = 0;
  std::uint64_t next_seq = 0;  // of the first frame from here on
};

class Ring {
 public:
  Ring() = default;
  // Keeps at least `keep_frames` frames as long as the pool's memory lasts.
  Ring(base::Arena& index, ChunkPool pool, std::uint64_t keep_frames);
  bool usable() const { return order_ != nullptr; }

  // True where the next group must bring a base record: the current chunk is full, or there is none.
  bool wants_base() const { return count_ == 0 || newest_chunk().used >= pool_.nominal(); }
  // Appends whole records: [base] [events] frame of sample `seq`, which is newest()+1. A group that
  // wants_base() asked for must start with its base. False: larger than a chunk; nothing was kept and the
  // next group needs a base.
  bool append(std::string_view group, std::uint64_t seq);

  std::uint64_t oldest() const { return count_ == 0 ? 0 : chunk(first_serial_).first_seq; }
  std::uint64_t newest() const { return newest_; }  // 0: no sample yet
  std::uint64_t held() const { return count_ == 0 ? 0 : newest_ - oldest() + 1; }
  std::uint64_t bytes() const { return bytes_; }
  std::uint64_t keep_frames() const { return keep_frames_; }
  // Chunks given up while they were still within keep_frames: the memory bound came first.
  std::uint64_t cut_short() const { return cut_short_; }
  const ChunkPool& pool() const { return pool_; }

  // Where decoding must begin to reach the frame after `since` (a base record), and the place right behind
  // frame `since` in `exact`. `since` must be in [oldest()-1, newest()].
  Place base_for(std::uint64_t since, Place& exact) const;
  // The place before everything that is held.
  Place start() const { return {first_serial_, 0, oldest()}; }
  bool holds(const Place& place) const { return count_ != 0 && place.serial >= first_serial_; }

  // The record at `place`, which moves behind it. False at the end.
  bool next(Place& place, proc::Record& out, std::string_view& whole) const;

 private:
  struct Chunk {
    std::uint64_t first_seq = 0;
    std::uint32_t id = 0;
    std::uint32_t used = 0;
    std::uint32_t frames = 0;
  };
  Chunk& chunk(std::uint64_t serial) const { return order_[serial % pool_.count()]; }
  Chunk& newest_chunk() const { return chunk(first_serial_ + count_ - 1); }
  bool open_chunk(std::uint64_t seq);
  void drop_oldest();

  ChunkPool pool_;
  Chunk* order_ = nullptr;  // circular, by serial
  std::uint64_t first_serial_ = 0;
  std::uint32_t count_ = 0;
  std::uint64_t newest_ = 0;
  std::uint64_t bytes_ = 0;
  std::uint64_t keep_frames_ = 0;
  std::uint64_t cut_short_ = 0;
};

// How the ring is cut, from the size of a frame and a base. Frames of an idle machine are smaller than this
// plans for, those of a very busy one can be larger: `bytes` is the bound either way.
struct RingPlan {
  std::uint64_t frame_bytes = 0;  // planned for each sample, bases included
  std::uint64_t nominal = 0;
  std::uint64_t stride = 0;
  std::uint64_t chunks = 0;
  std::uint64_t bytes = 0;  // chunks * stride
};
RingPlan plan_ring(std::uint64_t keep_frames, std::uint32_t frames_per_base, std::uint64_t used_cells,
                   std::uint64_t base_bytes);

}  // namespace mikroscope::agent
