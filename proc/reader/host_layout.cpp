#include "proc/reader/host_layout.h"

#include "proc/source.h"

namespace mikroscope::proc {
namespace {

constexpr std::uint32_t kFirstRows = 16;
constexpr std::uint32_t kFirstTexts = 256;
constexpr std::size_t kBytesPerText = 48;

}  // namespace

OwnedSchema::OwnedSchema(std::string_view table, std::string_view help) {
  schema_.table = texts_.emplace_back(table);
  schema_.help = texts_.emplace_back(help);
}

void OwnedSchema::add_key(std::string_view name, bool text, bool label) {
  keys_.push_back({texts_.emplace_back(name), text, label, {}});
  schema_.keys = keys_;
}

void OwnedSchema::add_column(std::string_view name, Column column, std::string_view help) {
  column.name = texts_.emplace_back(name);
  column.help = texts_.emplace_back(help);
  columns_.push_back(column);
  schema_.columns = columns_;
}

HostLayout::HostLayout() {
  tables_.reserve(kMaxTables);
  rows_.reserve(kMaxTables);
  layout_.tables = tables_.data();
  layout_.texts = &texts_;
}

int HostLayout::add_table(const Schema& schema) {
  if (tables_.size() == kMaxTables) return -1;
  Table table;
  table.schema = &schema;
  table.capacity = schema.keys.empty() ? 1 : kFirstRows;
  table.rows = schema.keys.empty() ? 1 : 0;
  tables_.push_back(table);
  rows_.emplace_back();
  renumber();
  return static_cast<int>(tables_.size()) - 1;
}

int HostLayout::add_table(std::unique_ptr<OwnedSchema> schema) {
  owned_.push_back(std::move(schema));
  return add_table(owned_.back()->schema());
}

void HostLayout::replace_schema(std::uint32_t table, std::unique_ptr<OwnedSchema> schema) {
  owned_.push_back(std::move(schema));
  tables_[table].schema = &owned_.back()->schema();
  renumber();
}

int HostLayout::add_row(std::uint32_t table, const RowKey& key, std::uint64_t first_seq) {
  Table& t = tables_[table];
  if (t.rows == t.capacity) {
    if (t.schema->keys.empty() || layout_.slots + t.capacity * t.columns() > kMaxSlots) return -1;
    t.capacity *= 2;
    renumber();
  }
  t.keys[t.rows] = key;
  t.first_seq[t.rows] = first_seq;
  return static_cast<int>(t.rows++);
}

KeyPart HostLayout::intern(std::string_view text) {
  if (const KeyPart id = texts_.intern(text); id >= 0) return id;
  if (text_capacity_ >= kMaxTexts || text.size() > kMaxTexts * kBytesPerText) return -1;
  // Twice the room, and room for this text; ids stay since texts are interned again in their order.
  const std::uint32_t capacity = text_capacity_ == 0 ? kFirstTexts : text_capacity_ * 2;
  const std::size_t bytes = text_memory_.size() + capacity * kBytesPerText + text.size();
  const std::size_t overhead = capacity * (sizeof(std::string_view) + sizeof(std::uint32_t)) + 64;
  std::vector<std::byte> memory(bytes + overhead);
  base::Arena arena(memory.data(), memory.size());
  Texts grown(arena, capacity, bytes);
  for (std::uint32_t i = 0; i < texts_.count(); ++i) grown.intern(texts_[static_cast<KeyPart>(i)]);
  texts_ = grown;
  text_memory_ = std::move(memory);
  text_capacity_ = capacity;
  return texts_.intern(text);
}

void HostLayout::renumber() {
  layout_.tables = tables_.data();
  layout_.table_count = static_cast<std::uint32_t>(tables_.size());
  layout_.slots = 0;
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    Table& t = tables_[i];
    rows_[i].keys.resize(t.capacity);
    rows_[i].first_seq.resize(t.capacity);
    t.keys = rows_[i].keys.data();
    t.first_seq = rows_[i].first_seq.data();
    t.slot0 = layout_.slots;
    layout_.slots += t.capacity * t.columns();
  }
  ++generation_;
}

const Schema* builtin_schema(std::string_view table) {
  for (const TableDef& def : all_tables()) {
    if (def.schema->table == table) return def.schema;
  }
  return nullptr;
}

}  // namespace mikroscope::proc
