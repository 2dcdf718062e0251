// Column numbers of the table stat, which two files fill: /proc/stat and the machine-wide rows of
// /proc/interrupts.
#pragma once

#include <cstdint>

namespace mikroscope::proc {

enum StatColumn : std::uint32_t { kCtxt, kIntr, kForks, kIrqErr, kIrqMis };

}  // namespace mikroscope::proc
