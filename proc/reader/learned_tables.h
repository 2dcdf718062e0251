// The tables, rows and columns that an NDJSON reader has learned from its input, and the cells of the sample
// that it is reading.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "proc/reader/host_layout.h"
#include "proc/reader/json_scan.h"

namespace mikroscope::proc {

class LearnedTables {
 public:
  // Of one sample, always as large as the layout.
  struct Cells {
    std::vector<std::int64_t> values;     // slots; meaningful where present
    std::vector<std::uint8_t> present;    // slots
    std::vector<std::int64_t> intervals;  // per table, ns
  };

  const Layout& layout() const { return local_.layout(); }
  // Changes whenever slots moved: slots kept elsewhere, and cells already read, are then wrong.
  std::uint64_t generation() const { return local_.generation(); }
  Cells& cells() { return cells_; }
  // No cell is present, every interval is `dt_ns`.
  void begin_sample(std::int64_t dt_ns);

  // The table of this name, made from the first value seen where this build does not know it. Of a names line
  // (`all_members_are_keys`) every member of a row is a key. kMaxTables when there is no room.
  std::uint32_t table_for(std::string_view name, std::string_view value, bool all_members_are_keys = false);
  // -1 where a key is missing or there is no room.
  int row_for(std::uint32_t table, const JsonMembers& keys);
  // -1 when there is no room. A new column has as many decimals as `value`.
  int column_for(std::uint32_t table, std::string_view name, const JsonValue& value);

 private:
  void fit_cells();

  HostLayout local_;
  // Rows by their printed keys (labels are printed once, in a names line, and then belong to the row).
  std::vector<std::unordered_map<std::string, std::uint32_t>> rows_by_key_;
  Cells cells_;
};

}  // namespace mikroscope::proc
