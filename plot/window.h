// What --from, --to and --t0 mean on a recording's axis.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/host/result.h"
#include "plot/marks.h"
#include "plot/timeline.h"

namespace mikroscope::plot {

// What an instant may refer to.
struct InstantContext {
  const Timeline* timeline = nullptr;  // nullptr: a data set, which has no wall clock
  const std::vector<Mark>* marks = nullptr;
  std::int64_t t0_ns = 0;
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
};

// A duration (base/host/duration.h) with an optional sign, in nanoseconds.
std::optional<std::int64_t> parse_offset(std::string_view text);

// An instant in axis nanoseconds (PlotOptions::from lists the forms). A marker label goes first, so that a
// label may look like anything. `flag` is named in the error.
base::Result<std::int64_t> parse_instant(std::string_view text, std::string_view flag,
                                         const InstantContext& context);

}  // namespace mikroscope::plot
