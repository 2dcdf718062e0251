// The system calls of a running agent, as a program for the kernel's filter. It is constant data, so that it
// can be checked for every architecture, whatever the machine that checks it.
#pragma once

#include <linux/filter.h>

#include <cstddef>

namespace mikroscope::agent {

constexpr std::size_t kMaxFilter = 40;  // what the architecture with the most calls needs, rounded up

struct SeccompFilter {
  sock_filter code[kMaxFilter] = {};
  unsigned short size = 0;  // 0: this architecture has no filter
};

// Allows the calls that sampling and serving make; opening a file only where it could not change it. All
// others, and all calls of another architecture, fail with EPERM.
extern const SeccompFilter kSeccompFilter;

}  // namespace mikroscope::agent
