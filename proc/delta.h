// The one place that decides what the difference of two readings of a counter is.
#pragma once

#include <cstdint>
#include <string_view>

#include "proc/layout.h"

namespace mikroscope::proc {

enum class DeltaKind : std::uint8_t {
  normal,
  absent,    // not read now, or no earlier reading to compare with (first tick, new row, row that came back)
  wrap,      // a 32-bit counter passed 2^32; the value is right
  backward,  // the counter went back a little (idle and iowait do on real kernels): value 0, new base taken
  reset,     // the counter restarted: no value this tick, new base taken
};
std::string_view delta_kind_name(DeltaKind kind);

struct Delta {
  DeltaKind kind = DeltaKind::absent;
  std::uint64_t value = 0;  // meaningful for normal, wrap and backward
  bool has_value() const { return kind != DeltaKind::absent && kind != DeltaKind::reset; }
};

// Both readings exist. Never an unsigned underflow, and always a new base: one odd reading costs at most one
// tick.
//  - 32-bit counter, old value in the upper half, distance modulo 2^32 below a half: a wrap.
//  - a step back of at most 1/64 of the old value: backward.
//  - any other step back: reset.
Delta difference(std::uint64_t before, std::uint64_t now, Width width);

// One tick with what came before it: what NDJSON, triggers and readers look at. A view of memory owned
// elsewhere.
struct FrameView {
  const Layout* layout = nullptr;
  TickHeader head;
  std::uint64_t tables = 0;
  const std::uint32_t* rows = nullptr;        // per table: rows known at this frame
  const std::uint64_t* now = nullptr;         // slots
  const std::uint64_t* before = nullptr;      // slots: last earlier reading
  const std::uint8_t* live = nullptr;         // slots: present in this frame (only where the table is)
  const std::uint8_t* live_before = nullptr;  // slots: present at the previous reading of the table
  const std::int64_t* read_before = nullptr;  // per table: boot_ns of its previous reading, 0 = none

  bool has_table(std::uint32_t table) const { return (tables >> table & 1) != 0; }
  bool has(std::uint32_t table, std::uint32_t slot) const { return has_table(table) && live[slot] != 0; }
  // The interval that this frame's differences of `table` cover: dt_ns, or more where ticks in between did
  // not read it (a cadence, a failed read).
  std::int64_t interval_ns(std::uint32_t table) const;
  Delta delta(std::uint32_t table, std::uint32_t row, std::uint32_t column) const;
};

}  // namespace mikroscope::proc
