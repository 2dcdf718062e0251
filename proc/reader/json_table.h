// A table of a sample, parsed as JSON: rows and columns are learned, cells are set, and a shape is left.
#pragma once

#include <cstdint>
#include <string>

#include "proc/reader/json_scan.h"
#include "proc/reader/learned_tables.h"
#include "proc/reader/shape.h"

namespace mikroscope::proc {

// The value of `table` that stands at `in`, in a member that begins at `start`. False: it is damaged, and
// `why` says how. Where the layout's generation changed meanwhile, cells and shape hold slots from before.
bool read_table(LearnedTables& learned, std::uint32_t table, const char* start, JsonScan& in, Shape& shape,
                std::string& why);

}  // namespace mikroscope::proc
