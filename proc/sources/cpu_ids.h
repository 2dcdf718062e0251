// The CPU numbers that a kernel file names, in its order: holes are normal, positions mean nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace mikroscope::proc {

constexpr std::size_t kMaxCpus = 1024;  // of one machine; a file that names more is refused, never cut

class CpuIds {
 public:
  // A kernel CPU list such as 0-3,8 (/sys/devices/system/cpu/online), a final newline allowed. False: not
  // one, or more than kMaxCpus; then it is empty.
  bool parse_list(std::string_view text);
  // The header line of /proc/interrupts and /proc/softirqs: CPU0 CPU2 ...
  bool parse_header(std::string_view line);

  std::size_t count() const { return count_; }
  std::int32_t operator[](std::size_t i) const { return id_[i]; }

 private:
  bool add(std::uint64_t id);
  bool fail() {
    count_ = 0;
    return false;
  }

  std::size_t count_ = 0;
  std::uint16_t id_[kMaxCpus];
};

}  // namespace mikroscope::proc
