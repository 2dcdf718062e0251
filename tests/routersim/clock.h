// The double's time. Everything timed (extraction, stopping, the lag of listings) reads it, so a test moves a
// FakeClock instead of waiting.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace mikroscope::routersim {

class Clock {
 public:
  virtual ~Clock() = default;
  virtual std::int64_t now_ms() const = 0;
  virtual bool real() const = 0;
};

class RealClock final : public Clock {
 public:
  std::int64_t now_ms() const override {
    return std::chrono::duration_cast<std::chrono::milliseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }
  bool real() const override { return true; }
};

// Any thread may move it.
class FakeClock final : public Clock {
 public:
  std::int64_t now_ms() const override { return now_; }
  bool real() const override { return false; }
  void advance(std::int64_t ms) { now_ += ms; }

 private:
  std::atomic<std::int64_t> now_{1'000'000};
};

}  // namespace mikroscope::routersim
