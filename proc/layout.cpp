#include "proc/layout.h"

#include <cstdarg>
#include <cstring>

namespace mikroscope::proc {
namespace {

std::uint32_t hash_text(std::string_view text) {
  std::uint32_t h = 2166136261U;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 16777619U;
  return h;
}

}  // namespace

Texts::Texts(base::Arena& arena, std::uint32_t count, std::size_t bytes) {
  texts_ = arena.make<std::string_view>(count);
  hashes_ = arena.make<std::uint32_t>(count);
  void* const memory = arena.take(bytes, 1);
  if (texts_ == nullptr || hashes_ == nullptr || memory == nullptr) return;
  capacity_ = count;
  bytes_ = base::Arena(memory, bytes);
}

KeyPart Texts::find(std::string_view text) const {
  const std::uint32_t h = hash_text(text);
  for (std::uint32_t i = 0; i < count_; ++i) {
    if (hashes_[i] == h && texts_[i] == text) return static_cast<KeyPart>(i);
  }
  return -1;
}

KeyPart Texts::intern(std::string_view text) {
  if (const KeyPart known = find(text); known >= 0) return known;
  if (count_ == capacity_) return -1;
  const std::string_view copy = bytes_.copy(text);
  if (copy.size() != text.size()) return -1;
  texts_[count_] = copy;
  hashes_[count_] = hash_text(text);
  return static_cast<KeyPart>(count_++);
}

int Layout::find(std::string_view table) const {
  for (std::uint32_t i = 0; i < table_count; ++i) {
    if (tables[i].schema->table == table) return static_cast<int>(i);
  }
  return -1;
}

void TableWriter::bind(Layout& layout, State& state, const Schema& schema) {
  for (std::uint32_t i = 0; i < layout.table_count; ++i) {
    if (layout.tables[i].schema == &schema) *this = {layout, state, i};
  }
}

bool TableWriter::row(KeyPart a, KeyPart b, KeyPart c) {
  return row(RowKey{{a, b, c}});
}

void TableWriter::unset(std::uint32_t first, std::uint32_t count) {
  const Table& t = layout_->tables[table_];
  bool any = false;
  for (std::uint32_t row = 0; row < t.rows; ++row) {
    std::memset(state_->present + t.slot(row, first), 0, count);
    for (std::uint32_t c = 0; c < columns_; ++c) any |= state_->present[t.slot(row, c)] != 0;
  }
  if (!any) state_->tables &= ~(std::uint64_t{1} << table_);
}

KeyPart TableWriter::intern_list(const char* format, ...) {
  char text[256];
  base::Writer out(text, sizeof text);
  std::va_list args;
  va_start(args, format);
  out.print_args(format, args);
  va_end(args);
  return intern(out.view());
}

int Layout::find_row(std::uint32_t table, const RowKey& key) const {
  const Table& t = tables[table];
  for (std::uint32_t i = 0; i < t.rows; ++i) {
    if (t.keys[i] == key) return static_cast<int>(i);
  }
  return -1;
}

int Layout::row(std::uint32_t table, const RowKey& key, std::uint32_t hint, std::uint64_t seq) {
  Table& t = tables[table];
  // Forward from the hint: rows that are missing this time (an offline CPU's) cost a step, not a search of
  // all.
  for (std::uint32_t i = hint; i < t.rows; ++i) {
    if (t.keys[i] == key) return static_cast<int>(i);
  }
  if (const int known = find_row(table, key); known >= 0) return known;
  bool unusable = false;  // a key whose text found no room
  for (std::size_t i = 0; i < t.schema->keys.size() && i < kMaxKeys; ++i)
    unusable |= t.schema->keys[i].text && key.part[i] < 0;
  if (unusable || t.rows == t.capacity) {
    ++rows_refused;
    return -1;
  }
  t.keys[t.rows] = key;
  t.first_seq[t.rows] = seq;
  return static_cast<int>(t.rows++);
}

Layout make_layout(base::Arena& arena, std::span<const Schema* const> schemas,
                   std::span<const std::uint32_t> capacities, Texts* texts) {
  Layout layout;
  layout.tables = arena.make<Table>(schemas.size());
  layout.texts = texts;
  if (layout.tables == nullptr) return {};
  for (std::size_t i = 0; i < schemas.size(); ++i) {
    Table& t = layout.tables[i];
    t.schema = schemas[i];
    t.capacity = t.schema->keys.empty() ? 1 : capacities[i];
    t.rows = t.schema->keys.empty() ? 1 : 0;
    // Not make(): zero bytes are a RowKey, and constructing them would touch pages that may never hold a row.
    t.keys = static_cast<RowKey*>(arena.take(t.capacity * sizeof(RowKey), alignof(RowKey)));
    t.first_seq = arena.make<std::uint64_t>(t.capacity);
    if (t.keys == nullptr || t.first_seq == nullptr) return {};
    t.slot0 = layout.slots;
    layout.slots += t.capacity * t.columns();
    ++layout.table_count;
  }
  return layout;
}

State make_state(base::Arena& arena, const Layout& layout) {
  State state;
  state.values = arena.make<std::uint64_t>(layout.slots);
  state.present = arena.make<std::uint8_t>(layout.slots);
  if (state.present == nullptr) state.values = nullptr;
  return state;
}

void copy_state(const Layout& layout, const State& from, State& to) {
  to.head = from.head;
  to.tables = from.tables;
  for (const Table& t : layout.all()) {
    std::memcpy(to.values + t.slot0, from.values + t.slot0, t.used_slots() * sizeof(std::uint64_t));
    std::memcpy(to.present + t.slot0, from.present + t.slot0, t.used_slots());
  }
}

void begin_tick(const Layout& layout, State& state, const TickHeader& head) {
  state.head = head;
  state.tables = 0;
  for (const Table& t : layout.all()) std::memset(state.present + t.slot0, 0, t.used_slots());
}

}  // namespace mikroscope::proc
