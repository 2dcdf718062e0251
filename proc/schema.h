// The one description of all numeric data. A source file declares its tables here-shaped, once; the codec,
// NDJSON, CSV, documentation, plots and stores iterate over them and name no column by hand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace mikroscope::proc {

// The agent for routers, where flash is small, packs its tables and leaves out what explains them:
// explanations are for people at a workstation, whose programs know these schemas too. All three behave like
// what they stand for.
#ifdef MIKROSCOPE_ROUTER_AGENT
struct HelpText {
  constexpr HelpText() = default;
  constexpr HelpText(std::string_view) {}  // NOLINT: meant to convert
  template <std::size_t N>
  constexpr HelpText(const char (&)[N]) {}  // NOLINT
  constexpr bool empty() const { return true; }
  constexpr operator std::string_view() const { return {}; }  // NOLINT
};

// A literal of up to 255 bytes. With [[no_unique_address]] the member behind it begins right after its
// length.
class TableText {
 public:
  constexpr TableText() = default;
  constexpr TableText(std::string_view text)  // NOLINT: meant to convert
      : data_(text.data()), size_(static_cast<std::uint8_t>(text.size())) {}
  template <std::size_t N>
  constexpr TableText(const char (&text)[N]) : data_(text), size_(N - 1) {  // NOLINT
    static_assert(N - 1 <= UINT8_MAX);
  }
  constexpr operator std::string_view() const { return {data_, size_}; }  // NOLINT
  constexpr const char* data() const { return data_; }
  constexpr std::size_t size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }
  friend constexpr bool operator==(TableText a, std::string_view b) { return std::string_view(a) == b; }

 private:
  const char* data_ = nullptr;
  std::uint8_t size_ = 0;
};

template <class T>
class TableItems {
 public:
  constexpr TableItems() = default;
  template <std::size_t N>
  constexpr TableItems(const T (&items)[N]) : data_(items), size_(N) {  // NOLINT: meant to convert
    static_assert(N <= UINT8_MAX);
  }
  constexpr const T* begin() const { return data_; }
  constexpr const T* end() const { return data_ + size_; }
  constexpr const T& operator[](std::size_t i) const { return data_[i]; }
  constexpr std::size_t size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }

 private:
  const T* data_ = nullptr;
  std::uint8_t size_ = 0;
};
#else
using HelpText = std::string_view;
using TableText = std::string_view;
template <class T>
using TableItems = std::span<const T>;
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
  // The unit is part of the name where users would otherwise have to ask (total_kb, run_ns).
  [[no_unique_address]] TableText name;
  Kind kind = Kind::gauge;
  Unit unit = Unit::none;
  [[no_unique_address]] HelpText help;
  Width width = Width::bits64;
  std::uint8_t decimals =
      0;  // the cell holds value * 10^decimals (load1 0.12 is the cell 12 with 2 decimals)
  Predict predict = Predict::previous;
};

struct KeyColumn {
  [[no_unique_address]] TableText name;
  bool text = false;  // else an integer
  bool label =
      false;  // belongs to the row's identity, but NDJSON states it once, in a names line, not every tick
  [[no_unique_address]] HelpText help;
};

constexpr std::size_t kMaxKeys = 3;
constexpr std::size_t kMaxTables = 48;  // a frame's table presence is one 64-bit word
constexpr std::size_t kMaxColumns = 64;

struct Schema {
  [[no_unique_address]] TableText table;             // unique, snake_case; stores prefix it with mikroscope_
  [[no_unique_address]] TableItems<KeyColumn> keys;  // none: the table has exactly one row
  [[no_unique_address]] TableItems<Column> columns;
  [[no_unique_address]] HelpText help;

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
