// Counts what a recording holds: for the summary, the meta file and the checks of both.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "proc/reader/item.h"

namespace mikroscope::plot {

constexpr std::int64_t kClockStepNs = 50'000'000;  // a wall clock that moved by more against boot_ns was set

// A run of samples of one agent instance.
struct Segment {
  std::string instance;
  proc::TickHeader first;
  proc::TickHeader last;
  std::uint64_t samples = 0;
};

struct LostSamples {
  std::uint64_t from = 0;
  std::uint64_t to = 0;
  std::int64_t after_boot_ns = 0;   // of the sample before the hole; 0 when there is none
  std::int64_t before_boot_ns = 0;  // of the sample after it; 0 until it is known
};

class RecordingTally {
 public:
  struct Seen {
    bool repeated = false;           // a sample that was there before: to be left out
    std::optional<LostSamples> gap;  // a hole that ends with this sample, announced or not
    bool gap_was_announced = true;
    std::optional<std::int64_t> clock_step_ns;
    bool after_restart = false;  // first sample of a new instance
  };
  Seen frame(const proc::TickHeader& head);
  void gap(const proc::Gap& gap);
  void restart(const proc::Restart& restart);
  void instance(const std::string& name);  // of the samples that follow
  void trigger() { ++triggers_; }
  void log_record() { ++log_records_; }
  void malformed(std::uint64_t count) { malformed_ += count; }

  std::uint64_t samples() const { return samples_; }
  std::uint64_t lost() const { return lost_; }
  const std::vector<LostSamples>& gaps() const { return gaps_; }
  std::uint64_t restarts() const { return restarts_; }
  std::uint64_t triggers() const { return triggers_; }
  std::uint64_t clock_steps() const { return clock_steps_; }
  std::uint64_t malformed() const { return malformed_; }
  const std::vector<Segment>& segments() const { return segments_; }
  // The last sample of the present instance; nullptr when there is none.
  const proc::TickHeader* last() const { return in_segment_ ? &segments_.back().last : nullptr; }
  const proc::TickHeader* first_of_all() const {
    return segments_.empty() ? nullptr : &segments_.front().first;
  }
  const proc::TickHeader* last_of_all() const { return segments_.empty() ? nullptr : &segments_.back().last; }
  // Time that the samples cover: the sum of their dt_ns.
  std::int64_t covered_ns() const { return covered_ns_; }

  // Members samples, first, last, segments, gaps, … into `out`.
  void write(nlohmann::ordered_json& out) const;

 private:
  std::vector<Segment> segments_;
  bool in_segment_ = false;  // segments_.back() takes the next sample
  bool restarted_ = false;
  bool rebooted_ = false;
  std::string instance_;
  std::vector<LostSamples> gaps_;
  bool open_gap_ = false;  // gaps_.back() waits for the sample after it
  std::uint64_t samples_ = 0;
  std::uint64_t lost_ = 0;
  std::uint64_t restarts_ = 0;
  std::uint64_t triggers_ = 0;
  std::uint64_t log_records_ = 0;
  std::uint64_t clock_steps_ = 0;
  std::uint64_t malformed_ = 0;
  std::int64_t covered_ns_ = 0;
};

}  // namespace mikroscope::plot
