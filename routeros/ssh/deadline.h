// Waiting with an end: a point in time, and a descriptor that ends every wait when it becomes readable.
#pragma once

#include <chrono>
#include <cstdint>

namespace mikroscope::routeros {

class Deadline {
 public:
  static Deadline in_ms(std::int64_t ms) {
    return Deadline(std::chrono::steady_clock::now() + std::chrono::milliseconds(ms));
  }
  // Milliseconds left, rounded up, so that a poll with it never spins; 0 when it has passed.
  int left_ms() const;

 private:
  explicit Deadline(std::chrono::steady_clock::time_point at) : at_(at) {}
  std::chrono::steady_clock::time_point at_;
};

enum class Waited : std::uint8_t { ready, late, interrupted };

// Until one of `events` (POLLIN, POLLOUT) or an error is there on `fd`. `interrupt_fd` may be -1.
Waited wait_for(int fd, short events, const Deadline& deadline, int interrupt_fd);

}  // namespace mikroscope::routeros
