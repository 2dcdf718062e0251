#include "proc/reader/item.h"

namespace mikroscope::proc {

bool Frame::has_table(std::uint32_t table) const {
  if (table >= rows.size()) return false;
  const Table& t = layout->tables[table];
  const std::uint8_t* const first = present + t.slot0;
  for (std::uint32_t i = 0; i < rows[table] * t.columns(); ++i) {
    if (first[i] != 0) return true;
  }
  return false;
}

}  // namespace mikroscope::proc
