#include "plot/timeline.h"

#include <algorithm>
#include <cstdlib>

namespace mikroscope::plot {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
// Clocks beyond these are damage; within them, no sum below overflows.
constexpr std::int64_t kMaxBoot = 1'000'000'000'000'000'000;  // 31 years
constexpr std::int64_t kMaxWall = 3'000'000'000'000'000'000;  // the year 2065
constexpr std::int64_t kMaxAxis = 2'000'000'000'000'000'000;
constexpr std::int64_t kStep = 50'000'000;      // a wall clock movement worth a marker
constexpr std::int64_t kSlewGrain = 1'000'000;  // slewing finer than this is not kept apart

}  // namespace

std::optional<std::int64_t> AxisCursor::place(const SampleHead& head) {
  if (head.boot_ns < 0 || head.boot_ns > kMaxBoot || head.wall_ns < 0 || head.wall_ns > kMaxWall ||
      axis0_ > kMaxAxis) {
    return std::nullopt;
  }
  const bool back = any_ && head.boot_ns <= boot_;
  if (back && !reboot_) {
    // Time since boot cannot go back within one boot: the same samples again, or a boot that no line told of.
    // Both clocks moving back together, without the sequence starting again, says which.
    const std::int64_t apart = std::llabs((head.wall_ns - wall_) - (head.boot_ns - boot_));
    if (head.seq != 0 && head.boot_ns == boot_) return std::nullopt;
    if (apart < kSecond) return std::nullopt;
  }
  if (!any_) {
    boot0_ = head.boot_ns;
  } else if (back || reboot_) {
    const std::int64_t least = head.dt_ns > 0 ? head.dt_ns : 1;
    axis0_ = axis_ + std::max(head.wall_ns - wall_, least);
    boot0_ = head.boot_ns;
    ++epoch_;
  }
  any_ = true;
  reboot_ = false;
  seq_ = head.seq;
  boot_ = head.boot_ns;
  wall_ = head.wall_ns;
  axis_ = axis0_ + (head.boot_ns - boot0_);
  return axis_;
}

void Timeline::add(const SampleHead& head, std::int64_t axis_ns, const AxisCursor& cursor) {
  const std::int64_t offset = head.wall_ns - axis_ns;
  const bool new_epoch = epochs_.size() <= cursor.epoch();
  if (new_epoch) epochs_.push_back({axis_ns, cursor.boot_to_axis()});
  if (segments_.empty()) {
    segments_.push_back({axis_ns, offset});
  } else {
    if (!new_epoch && std::llabs(offset - last_offset_) > kStep)
      steps_.push_back({axis_ns, offset - last_offset_});
    if (std::llabs(offset - segments_.back().offset_ns) > kSlewGrain) segments_.push_back({axis_ns, offset});
  }
  last_offset_ = offset;
  last_ = axis_ns;
}

std::int64_t Timeline::from_wall(std::int64_t wall_ns) const {
  if (segments_.empty()) return 0;
  wall_ns = std::clamp<std::int64_t>(wall_ns, 0, kMaxWall);  // beyond it nothing is in a recording
  for (std::size_t i = 0; i < segments_.size(); ++i) {
    const Segment& s = segments_[i];
    const std::int64_t axis = wall_ns - s.offset_ns;
    const bool is_last = i + 1 == segments_.size();
    if (axis >= s.axis_ns && (is_last ? axis <= last_ : axis < segments_[i + 1].axis_ns)) return axis;
    // After the end of this segment, before the begin of the next: the clock jumped over this instant.
    if (!is_last && axis >= segments_[i + 1].axis_ns &&
        wall_ns - segments_[i + 1].offset_ns < segments_[i + 1].axis_ns) {
      return segments_[i + 1].axis_ns;
    }
  }
  const std::int64_t by_last = wall_ns - segments_.back().offset_ns;
  return by_last > last_ ? by_last : wall_ns - segments_.front().offset_ns;
}

std::int64_t Timeline::from_boot(std::int64_t boot_ns, std::int64_t wall_ns) const {
  if (epochs_.empty()) return 0;
  boot_ns = std::clamp<std::int64_t>(boot_ns, 0, kMaxBoot);
  std::int64_t best = boot_ns + epochs_.front().boot_to_axis_ns;
  if (epochs_.size() == 1 || wall_ns == 0) return best;
  const std::int64_t wanted = from_wall(wall_ns);
  for (const Epoch& e : epochs_) {
    const std::int64_t axis = boot_ns + e.boot_to_axis_ns;
    if (std::llabs(axis - wanted) < std::llabs(best - wanted)) best = axis;
  }
  return best;
}

std::int64_t Timeline::to_wall(std::int64_t axis_ns) const {
  if (segments_.empty()) return 0;
  auto after = std::upper_bound(segments_.begin(), segments_.end(), axis_ns,
                                [](std::int64_t a, const Segment& s) { return a < s.axis_ns; });
  if (after != segments_.begin()) --after;
  return axis_ns + after->offset_ns;
}

}  // namespace mikroscope::plot
