// The time axis of a recording. It is the machine's own time since boot (boot_ns), counted from the first
// sample, so that a step of the wall clock never bends it. Over a reboot, where boot_ns starts again, it goes
// on by wall clock.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace mikroscope::plot {

struct SampleHead {
  std::uint64_t seq = 0;
  std::int64_t boot_ns = 0;
  std::int64_t wall_ns = 0;
  std::int64_t dt_ns = 0;
};

// Places samples on the axis one after the other. A small value: copies of it are resume points within a
// file.
class AxisCursor {
 public:
  // Nanoseconds after the first sample; nullopt for a sample that is not later than the one before it (a
  // repetition).
  std::optional<std::int64_t> place(const SampleHead& head);
  // A restart line said that the machine booted again: the next sample begins a new epoch.
  void reboot() { reboot_ = true; }

  bool any() const { return any_; }
  std::int64_t last() const { return axis_; }
  std::uint32_t epoch() const { return epoch_; }
  std::int64_t boot_to_axis() const { return axis0_ - boot0_; }  // of the current epoch

 private:
  bool any_ = false;
  bool reboot_ = false;
  std::uint32_t epoch_ = 0;
  std::uint64_t seq_ = 0;
  std::int64_t boot_ = 0;
  std::int64_t wall_ = 0;
  std::int64_t axis_ = 0;
  std::int64_t boot0_ = 0;
  std::int64_t axis0_ = 0;
};

struct ClockStep {
  std::int64_t axis_ns = 0;  // of the first sample after it
  std::int64_t step_ns = 0;  // what the wall clock moved beyond the time that passed
};

// What is known of the whole axis once every sample has been placed.
class Timeline {
 public:
  // In file order, for every sample that the cursor placed.
  void add(const SampleHead& head, std::int64_t axis_ns, const AxisCursor& cursor);

  // The axis time of a wall clock instant, by the offset of the nearest sample. Inside a step forward: its
  // instant. Outside the recording: by the offset of its first or last sample.
  std::int64_t from_wall(std::int64_t wall_ns) const;
  // The axis time of a boot_ns. Where the machine rebooted, `wall_ns` (0 = unknown) tells which boot is
  // meant.
  std::int64_t from_boot(std::int64_t boot_ns, std::int64_t wall_ns) const;
  std::int64_t to_wall(std::int64_t axis_ns) const;

  std::int64_t last() const { return last_; }
  const std::vector<ClockStep>& clock_steps() const { return steps_; }
  std::size_t boots() const { return epochs_.size(); }

 private:
  struct Segment {  // from axis_ns on, wall = axis + offset
    std::int64_t axis_ns;
    std::int64_t offset_ns;
  };
  struct Epoch {
    std::int64_t first_axis_ns;
    std::int64_t boot_to_axis_ns;
  };
  std::vector<Segment> segments_;
  std::vector<Epoch> epochs_;
  std::vector<ClockStep> steps_;
  std::int64_t last_ = 0;
  std::int64_t last_offset_ = 0;
};

}  // namespace mikroscope::plot
