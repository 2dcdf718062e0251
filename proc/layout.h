// Which rows exist (Layout) and what one tick read (State). Both are plain memory that an owner provides: the
// agent from an arena at start, readers from vectors. Cells of all tables lie in one flat array of slots, so
// that the codec and the delta engine are loops over integers.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/arena.h"
#include "base/format.h"
#include "proc/schema.h"

namespace mikroscope::proc {

// One value of a row key: an integer as is, or the id of an interned text.
using KeyPart = std::int32_t;

struct RowKey {
  KeyPart part[kMaxKeys] = {};
  friend bool operator==(const RowKey&, const RowKey&) = default;
};

// Texts of row keys (IRQ ids and names, zones, devices), stored once. Ids count from 0 and never change.
class Texts {
 public:
  Texts() = default;
  // Room for `count` texts of `bytes` bytes together, taken from `arena`.
  Texts(base::Arena& arena, std::uint32_t count, std::size_t bytes);
  // The id of `text`, which is added if new. -1 when there is no room: the caller leaves the row out and
  // counts it.
  KeyPart intern(std::string_view text);
  // The same, first looking at `hint`: the id that stood in this place at the last tick.
  KeyPart intern(std::string_view text, KeyPart hint) {
    return (*this)[hint] == text && hint >= 0 ? hint : intern(text);
  }
  // -1 when unknown.
  KeyPart find(std::string_view text) const;
  std::string_view operator[](KeyPart id) const {
    return id >= 0 && static_cast<std::uint32_t>(id) < count_ ? texts_[id] : std::string_view();
  }
  std::uint32_t count() const { return count_; }

 private:
  std::string_view* texts_ = nullptr;
  std::uint32_t* hashes_ = nullptr;
  std::uint32_t count_ = 0;
  std::uint32_t capacity_ = 0;
  base::Arena bytes_;
};

// Rows of one table. Rows are only ever appended: a row that vanishes (CPU offline, disk unplugged) keeps its
// place and is absent from the frames, so that a slot means the same thing for the life of the process.
struct Table {
  const Schema* schema = nullptr;
  RowKey* keys = nullptr;
  std::uint64_t* first_seq = nullptr;  // the frame in which the row first appeared
  std::uint32_t rows = 0;
  std::uint32_t capacity = 0;
  std::uint32_t slot0 = 0;  // first slot; the table owns capacity * columns slots from there

  std::uint32_t columns() const { return static_cast<std::uint32_t>(schema->columns.size()); }
  std::uint32_t slot(std::uint32_t row, std::uint32_t column) const {
    return slot0 + row * columns() + column;
  }
  std::uint32_t used_slots() const { return rows * columns(); }
};

struct Layout {
  Table* tables = nullptr;
  std::uint32_t table_count = 0;
  std::uint32_t slots = 0;  // of all tables at capacity
  Texts* texts = nullptr;
  std::uint64_t rows_refused = 0;  // rows for which there was no room: counted, reported, never silent

  std::span<Table> all() { return {tables, table_count}; }
  std::span<const Table> all() const { return {tables, table_count}; }
  int find(std::string_view table) const;
  // The row with this key, appended if new; `hint` (the row after the last one found) makes the usual case
  // one comparison. -1 when the table is full. `seq` becomes first_seq of a new row.
  int row(std::uint32_t table, const RowKey& key, std::uint32_t hint, std::uint64_t seq);
  int find_row(std::uint32_t table, const RowKey& key) const;
};

// A layout of these schemas with room for `capacities[i]` rows in table i (keyless tables get 1); keyless
// rows exist at once. tables == nullptr when the arena was too small.
Layout make_layout(base::Arena& arena, std::span<const Schema* const> schemas,
                   std::span<const std::uint32_t> capacities, Texts* texts);

struct TickHeader {
  std::uint64_t seq = 0;     // from 1 at every start of the agent
  std::int64_t boot_ns = 0;  // CLOCK_BOOTTIME at the tick
  std::int64_t wall_ns = 0;  // CLOCK_REALTIME at the tick, UTC; a label that may step
  std::int64_t dt_ns = 0;    // CLOCK_MONOTONIC since the previous tick: the denominator of every difference
};

// What one tick read. Counters are the kernel's running totals, gauges are levels (int64 in two's
// complement). A slot that was not read keeps the value of its last reading and has present == 0.
struct State {
  TickHeader head;
  std::uint64_t tables = 0;  // bit i: table i has at least one present cell
  std::uint64_t* values = nullptr;
  std::uint8_t* present = nullptr;

  bool has_table(std::uint32_t table) const { return (tables >> table & 1) != 0; }
};
State make_state(base::Arena& arena, const Layout& layout);  // values == nullptr when there was no room
void copy_state(const Layout& layout, const State& from, State& to);

// Writes one tick into a State. Parsers get one of these and know nothing else of frames.
class TableWriter {
 public:
  TableWriter() = default;
  TableWriter(Layout& layout, State& state, std::uint32_t table)
      : layout_(&layout), state_(&state), table_(table), columns_(layout.tables[table].columns()) {}

  // To the table of this schema; every schema is in every layout.
  void bind(Layout& layout, State& state, const Schema& schema);

  // Selects a row for set(). False (the row is counted as refused) when the table is full.
  bool row(const RowKey& key) {
    const int found = layout_->row(table_, key, next_, state_->head.seq);
    if (found < 0) return false;
    next_ = static_cast<std::uint32_t>(found) + 1;
    base_ = layout_->tables[table_].slot(static_cast<std::uint32_t>(found), 0);
    return true;
  }
  bool row(KeyPart a, KeyPart b = 0, KeyPart c = 0);
  // The row that row() selected last, and selecting it again without its key. The caller knows that it is the
  // same one.
  std::uint32_t row_index() const { return next_ - 1; }
  void select(std::uint32_t index) {
    next_ = index + 1;
    base_ = layout_->tables[table_].slot(index, 0);
  }
  // The only row of a keyless table.
  void single() { base_ = layout_->tables[table_].slot0; }

  void set(std::uint32_t column, std::uint64_t value) {
    state_->values[base_ + column] = value;
    state_->present[base_ + column] = 1;
    state_->tables |= std::uint64_t{1} << table_;
  }
  // Read again, and still what set() gave last.
  void set_again(std::uint32_t column) {
    state_->present[base_ + column] = 1;
    state_->tables |= std::uint64_t{1} << table_;
  }
  void set_gauge(std::uint32_t column, std::int64_t value) { set(column, static_cast<std::uint64_t>(value)); }
  // Takes back what this tick set in `count` columns from `first` on, in all rows: for a file that turns out
  // unusable halfway. Columns of the same table that another file filled stay.
  void unset(std::uint32_t first, std::uint32_t count);

  KeyPart intern(std::string_view text) { return layout_->texts->intern(text); }
  KeyPart intern(std::string_view text, KeyPart hint) { return layout_->texts->intern(text, hint); }
  // What base::Writer::print() makes of the arguments, cut at 256 bytes.
  template <class... Args>
  [[gnu::always_inline]] KeyPart intern_print(base::Format<std::type_identity_t<Args>...> format,
                                              const Args&... args) {
    return intern_list(format.text, base::printed(args)...);
  }
  std::string_view text(KeyPart id) const { return (*layout_->texts)[id]; }
  std::uint32_t columns() const { return columns_; }

 private:
  KeyPart intern_list(const char* format, ...);

  Layout* layout_ = nullptr;
  State* state_ = nullptr;
  std::uint32_t table_ = 0;
  std::uint32_t columns_ = 0;
  std::uint32_t next_ = 0;
  std::uint32_t base_ = 0;
};

// Starts a tick: nothing is present, values stay.
void begin_tick(const Layout& layout, State& state, const TickHeader& head);

}  // namespace mikroscope::proc
