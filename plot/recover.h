// Completing a recording whose recorder was killed.
#pragma once

#include <cstdint>
#include <string>

#include "base/host/result.h"
#include "plot/csv_table.h"

namespace mikroscope::plot {

struct Recovered {
  std::uint64_t samples = 0;
  std::uint64_t gaps = 0;
  std::uint64_t restarts = 0;
  std::uint64_t malformed = 0;  // lines skipped
  std::uint64_t cut_bytes = 0;  // of a last line without its end
  std::size_t markers = 0;
  double covered_s = 0;
};

// Cuts the broken last line off X.jsonl.part, makes X.csv anew, completes the meta file (complete: false) and
// gives the files their names. Exit::no_data where there is nothing to recover, Exit::refused while a
// recorder writes it.
base::Result<Recovered> recover_recording(const std::string& prefix, const CsvSelection& csv);

}  // namespace mikroscope::plot
