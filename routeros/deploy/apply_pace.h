// Time, as far as waiting for a router needs it.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/host/result.h"

namespace mikroscope::routeros {

class Pace {
 public:
  virtual ~Pace() = default;
  virtual std::int64_t now_ns() = 0;  // monotonic
  // False: the user wants an end, now or earlier.
  virtual bool wait_ns(std::int64_t span_ns) = 0;
  virtual bool stopped() = 0;
};

inline constexpr std::int64_t kSecondNs = 1'000'000'000;

// Asks `done` (Result<bool>) until it says true: then true; false when `deadline_ns` from now has passed. An
// error of `done` ends it, and so does the user (Exit::interrupted). Asks quickly at first, then once a
// second.
template <class Done>
base::Result<bool> poll_until(Pace& pace, std::int64_t deadline_ns, Done done) {
  const std::int64_t end_ns = pace.now_ns() + deadline_ns;
  std::int64_t pause_ns = 50'000'000;
  while (true) {
    base::Result<bool> now = done();
    if (!now.ok() || *now) return now;
    const std::int64_t left_ns = end_ns - pace.now_ns();
    if (left_ns <= 0) return false;
    if (!pace.wait_ns(std::min(pause_ns, left_ns)))
      return base::Error{"interrupted", "", base::Exit::interrupted};
    pause_ns = std::min(pause_ns * 3 / 2, kSecondNs);
  }
}

}  // namespace mikroscope::routeros
