// Directories of numbered things: cpu0 cpu1 cpu3, thermal_zone0, mtd0 mtd0ro. Numbers have holes, so they are
// listed and never counted up. Without the C library's opendir, which allocates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "proc/kernel_path.h"

namespace mikroscope::proc {

// The numbers N for which `directory` holds an entry named exactly `prefix`N, ascending. Writes at most
// out.size() of them (the lowest) and returns how many; 0 also where there is no such directory.
std::size_t numbered_entries(const KernelPath& directory, std::string_view prefix,
                             std::span<std::uint16_t> out);

}  // namespace mikroscope::proc
