// The one description of all numeric data. A source file declares its tables here-shaped, once; the codec,
// NDJSON, CSV, documentation, plots and stores iterate over them and name no column by hand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace mikroscope::proc {

// Explanations are for people at a workstation, whose programs know these schemas too: the agent for routers,
// where flash is small, leaves their texts out.
#ifdef MIKROSCOPE_ROUTER_AGENT
struct HelpText {
  constexpr HelpText() = default;
  constexpr HelpText(std::string_view) {}  // NOLINT: meant to convert
  template <std::size_t N>
  constexpr HelpText(const char (&)[N]) {}  // NOLINT
  constexpr bool empty() const { return true; }
  constexpr operator std::string_view() const { return {}; }  // NOLINT
};
#else
using HelpText = std::string_view;
#endif

enum class Kind : std::uint8_t {
  counter,  // only ever grows in the kernel; readers get differences
  gauge,    // a level, as read; may be negative
};

enum class Unit : std::uint8_t {
  none,
  ticks,  // 1/USER_HZ s
  nanoseconds,
  microseconds,
  seconds,
  bytes,
  kilobytes,
  pages,
  sectors,  // 512 bytes
  packets,
  events,
  blocks,
  celsius,
  kilohertz,
  ratio,
};
std::string_view unit_name(Unit unit);
bool unit_from_name(std::string_view name, Unit& out);

// Width in bits at which the kernel keeps a counter, and so where it wraps. `native` is an unsigned long: 32
// bits on ARMv5/v7, 64 elsewhere; the agent resolves it before the schema leaves the machine.
enum class Width : std::uint8_t { native = 0, bits32 = 32, bits64 = 64 };

// How the packed codec predicts a cell. It changes only the size of the stream, never a value.
enum class Predict : std::uint8_t {
  previous,  // the same cell one frame earlier
  above,     // the step of the row above: rows of one column that advance together (PMU times of one group)
};

struct Column {
  std::string_view
      name;  // the unit is part of the name where users would otherwise have to ask (total_kb, run_ns)
  Kind kind = Kind::gauge;
  Unit unit = Unit::none;
  HelpText help;
  Width width = Width::bits64;
  std::uint8_t decimals =
      0;  // the cell holds value * 10^decimals (load1 0.12 is the cell 12 with 2 decimals)
  Predict predict = Predict::previous;
};

struct KeyColumn {
  std::string_view name;
  bool text = false;  // else an integer
  bool label =
      false;  // belongs to the row's identity, but NDJSON states it once, in a names line, not every tick
  HelpText help;
};

constexpr std::size_t kMaxKeys = 3;
constexpr std::size_t kMaxTables = 48;  // a frame's table presence is one 64-bit word
constexpr std::size_t kMaxColumns = 64;

struct Schema {
  std::string_view table;           // unique, snake_case; stores prefix it with mikroscope_
  std::span<const KeyColumn> keys;  // none: the table has exactly one row
  std::span<const Column> columns;
  HelpText help;

  int column(std::string_view name) const {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (columns[i].name == name) return static_cast<int>(i);
    }
    return -1;
  }
};

constexpr Width resolve(Width width) {
  return width != Width::native ? width : sizeof(unsigned long) == 4 ? Width::bits32 : Width::bits64;
}

}  // namespace mikroscope::proc
