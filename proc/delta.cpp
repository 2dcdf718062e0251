#include "proc/delta.h"

namespace mikroscope::proc {

std::string_view delta_kind_name(DeltaKind kind) {
  switch (kind) {
    case DeltaKind::normal:
      return "normal";
    case DeltaKind::absent:
      return "absent";
    case DeltaKind::wrap:
      return "wrap";
    case DeltaKind::backward:
      return "backward";
    case DeltaKind::reset:
      return "reset";
  }
  return "";
}

Delta difference(std::uint64_t before, std::uint64_t now, Width width) {
  if (now >= before) return {DeltaKind::normal, now - before};
  if (resolve(width) == Width::bits32 && before >= 0x80000000U && before <= UINT32_MAX) {
    const std::uint32_t step = static_cast<std::uint32_t>(now) - static_cast<std::uint32_t>(before);
    if (step < 0x80000000U) return {DeltaKind::wrap, step};
  }
  if (before - now <= before / 64) return {DeltaKind::backward, 0};
  return {DeltaKind::reset, 0};
}

std::int64_t FrameView::interval_ns(std::uint32_t table) const {
  // The previous reading was the previous tick whenever it is less than a tick and a half old: then the
  // monotonic dt_ns is the better measure (the boot clock also counts time asleep).
  const std::int64_t age = read_before[table] == 0 ? head.dt_ns : head.boot_ns - read_before[table];
  return age > head.dt_ns + head.dt_ns / 2 ? age : head.dt_ns;
}

Delta FrameView::delta(std::uint32_t table, std::uint32_t row, std::uint32_t column) const {
  const Table& t = layout->tables[table];
  const std::uint32_t slot = t.slot(row, column);
  if (!has(table, slot) || live_before[slot] == 0) return {};
  return difference(before[slot], now[slot], t.schema->columns[column].width);
}

}  // namespace mikroscope::proc
