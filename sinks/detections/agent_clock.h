// One time for all events of a router: the machine's clock since boot, continued over reboots, so that steps
// of the wall clock change no window.
#pragma once

#include <algorithm>
#include <cstdint>

#include "model/event.h"

namespace mikroscope::sinks {

class AgentClock {
 public:
  // Nanoseconds, never less than before. Events without a clock of the machine are placed by wall clock,
  // counted from the event before; so is the first one after a reboot.
  std::int64_t at(const model::Event& event) {
    const std::int64_t passed = wall_ns_ == 0 ? 0 : std::max<std::int64_t>(0, event.wall_ns - wall_ns_);
    if (event.boot_ns > 0) {
      // The clock began again; a little back is only the order of events.
      if (boot_ns_ > 0 && event.boot_ns < boot_ns_ - kDisorderNs)
        shift_ns_ = now_ns_ + passed - event.boot_ns;
      boot_ns_ = event.boot_ns;
      now_ns_ = std::max(now_ns_, event.boot_ns + shift_ns_);
      wall_ns_ = event.wall_ns;
      machine_ns_ = now_ns_;
      return now_ns_;
    }
    // Not taken over: the next sample says how late it really is.
    return std::max(now_ns_, machine_ns_ + passed);
  }

 private:
  static constexpr std::int64_t kDisorderNs = 1'000'000'000;
  std::int64_t boot_ns_ = 0;
  std::int64_t shift_ns_ = 0;
  std::int64_t now_ns_ = 0;
  std::int64_t machine_ns_ = 0;
  std::int64_t wall_ns_ = 0;
};

}  // namespace mikroscope::sinks
