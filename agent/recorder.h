// Turns what a tick read into records of the ring: the write side of the flight recorder.
#pragma once

#include <cstdint>
#include <string_view>

#include "agent/ring.h"
#include "proc/codec.h"
#include "proc/source.h"

namespace mikroscope::agent {

class Recorder final : public proc::EventSink {
 public:
  Recorder() = default;
  // `layout` must outlive the recorder; the track and the staging memory come from `arena`.
  Recorder(base::Arena& arena, proc::Layout& layout, std::uint32_t frames_per_base);
  bool usable() const { return group_ != nullptr && track_.values != nullptr; }

  // The first reading: sample 1 is what comes after it.
  void prime(const proc::State& first) { proc::prime(*layout_, first, track_); }
  // What a base record would take now, for planning the ring.
  std::uint64_t base_bytes();

  // A line of another kind, kept until the next sample and placed before it. Counted as lost where there is
  // no room.
  void event(std::string_view line) override;
  // `now` against the last sample.
  proc::FrameView view(const proc::State& now) {
    grew_ |= proc::grow(*layout_, track_);
    return proc::view(*layout_, now, track_);
  }
  // Writes the waiting events and `now` to `ring`. False: the sample found no room (counted) and its number
  // is free.
  bool commit(proc::State& now, Ring& ring);

  // The sample at which rows were last added to a table; 0: those of the first reading are all.
  std::uint64_t rows_changed_seq() const { return rows_changed_seq_; }
  std::uint64_t events_lost() const { return events_lost_; }
  std::uint64_t samples_lost() const { return samples_lost_; }
  int least_log_level() const { return least_log_level_; }  // among the waiting events; 8: none
  const proc::Layout& layout() const { return *layout_; }

 private:
  std::size_t put_record(proc::RecordKind kind, std::size_t at, std::string_view payload);

  proc::Layout* layout_ = nullptr;
  proc::Track track_;
  char* group_ = nullptr;
  std::size_t group_capacity_ = 0;
  char* events_ = nullptr;
  std::size_t events_size_ = 0;
  std::uint32_t frames_per_base_ = 64;
  std::uint32_t frames_since_base_ = 0;
  bool grew_ = false;
  bool need_base_ = true;
  int least_log_level_ = 8;
  std::uint64_t rows_changed_seq_ = 0;
  std::uint64_t events_lost_ = 0;
  std::uint64_t samples_lost_ = 0;
};

}  // namespace mikroscope::agent
