#include "proc/reader/wire_tables.h"

#include <algorithm>

#include "proc/codec.h"

namespace mikroscope::proc {
namespace {

// Reads a schema record into a layout of its own: the sender's tables in the sender's order.
std::unique_ptr<HostLayout> layout_of(std::string_view payload) {
  ByteReader in(payload);
  auto layout = std::make_unique<HostLayout>();
  const std::uint64_t tables = in.bounded(kMaxTables);
  for (std::uint64_t i = 0; i < tables && in.ok(); ++i) {
    const std::string_view name = in.text();
    const Schema* const known = builtin_schema(name);
    auto schema = std::make_unique<OwnedSchema>(name, known != nullptr ? known->help : std::string_view());
    const std::uint64_t keys = in.bounded(kMaxKeys);
    for (std::uint64_t k = 0; k < keys && in.ok(); ++k) {
      const std::string_view key = in.text();
      const std::uint8_t flags = in.byte();
      schema->add_key(key, (flags & 1) != 0, (flags & 2) != 0);
    }
    const std::uint64_t columns = in.bounded(kMaxColumns);
    for (std::uint64_t c = 0; c < columns && in.ok(); ++c) {
      const std::string_view column_name = in.text();
      const std::uint8_t flags = in.byte();
      Column column;
      column.kind = (flags & 1) != 0 ? Kind::counter : Kind::gauge;
      column.predict = (flags & 2) != 0 ? Predict::above : Predict::previous;
      column.width = (flags & 4) != 0 ? Width::bits32 : Width::bits64;
      column.decimals = static_cast<std::uint8_t>(std::min<int>(in.byte(), 18));
      unit_from_name(in.text(), column.unit);
      const int at = known != nullptr ? known->column(column_name) : -1;
      schema->add_column(column_name, column,
                         at >= 0 ? known->columns[static_cast<std::size_t>(at)].help : "");
    }
    if (!in.ok() || layout->add_table(std::move(schema)) < 0) return nullptr;
  }
  return in.ok() && in.left() == 0 ? std::move(layout) : nullptr;
}

std::unique_ptr<OwnedSchema> copy_of(const Schema& s) {
  auto copy = std::make_unique<OwnedSchema>(s.table, s.help);
  for (const KeyColumn& k : s.keys) copy->add_key(k.name, k.text, k.label);
  for (const Column& c : s.columns) copy->add_column(c.name, c, c.help);
  return copy;
}

bool same_schemas(const Layout& a, const Layout& b) {
  if (a.table_count != b.table_count || schema_hash(a) != schema_hash(b)) return false;
  for (std::uint32_t i = 0; i < a.table_count; ++i) {
    if (a.tables[i].schema->table != b.tables[i].schema->table ||
        a.tables[i].schema->columns.size() != b.tables[i].schema->columns.size()) {
      return false;
    }
  }
  return true;
}

}  // namespace

WireTables::Adoption WireTables::read_schema(std::string_view payload) {
  std::unique_ptr<HostLayout> read = layout_of(payload);
  if (!read) return Adoption::damaged;
  if (wire_ && same_schemas(wire_->layout(), read->layout())) return Adoption::kept;
  adopt(std::move(read));
  return Adoption::adopted;
}

void WireTables::renew() {
  if (!wire_) return;
  auto fresh = std::make_unique<HostLayout>();
  for (const Table& t : wire_->layout().all()) fresh->add_table(copy_of(*t.schema));
  adopt(std::move(fresh));
}

const Layout& WireTables::wire() const {
  static const Layout kNone;
  return wire_ ? wire_->layout() : kNone;
}

void WireTables::adopt(std::unique_ptr<HostLayout> fresh) {
  wire_ = std::move(fresh);
  table_map_.clear();
  row_map_.assign(wire_->layout().table_count, {});
  for (std::uint32_t i = 0; i < wire_->layout().table_count; ++i) {
    const Schema& s = *wire_->layout().tables[i].schema;
    table_map_.push_back(find_or_add(s));
    if (s.keys.empty()) row_map_[i].push_back(0);
  }
}

// The local table for a wire schema. A sender of another version may have other columns under a known name:
// such a table is kept apart only if its columns differ, by replacing the local schema with the wire's.
std::uint32_t WireTables::find_or_add(const Schema& s) {
  const int found = local_.layout().find(s.table);
  auto copy = copy_of(s);
  if (found < 0) return static_cast<std::uint32_t>(local_.add_table(std::move(copy)));
  const Schema& old = *local_.layout().tables[found].schema;
  const auto same = [](const Column& a, const Column& b) {
    return a.name == b.name && a.decimals == b.decimals;
  };
  if (!std::equal(old.columns.begin(), old.columns.end(), s.columns.begin(), s.columns.end(), same)) {
    local_.replace_schema(static_cast<std::uint32_t>(found), std::move(copy));
  }
  return static_cast<std::uint32_t>(found);
}

const char* WireTables::read_rows(std::string_view payload) {
  if (!wire_) return "packed stream: rows before a schema";
  ByteReader in(payload);
  const auto table = static_cast<std::uint32_t>(in.varint());
  const std::uint64_t first = in.varint();
  const std::uint64_t count = in.varint();
  if (!in.ok() || table >= wire_->layout().table_count) return "packed stream: damaged rows record";
  const Schema& s = *wire_->layout().tables[table].schema;
  if (s.keys.empty() || first > wire_->layout().tables[table].rows) return "packed stream: rows out of order";
  for (std::uint64_t r = 0; r < count; ++r) {
    const std::uint64_t first_seq = in.varint();
    RowKey key;
    RowKey local_key;
    for (std::size_t k = 0; k < s.keys.size(); ++k) {
      if (s.keys[k].text) {
        const std::string_view text = in.text();
        key.part[k] = wire_->intern(text);
        local_key.part[k] = local_.intern(text);
      } else {
        key.part[k] = local_key.part[k] = static_cast<KeyPart>(in.signed_varint());
      }
    }
    if (!in.ok()) return "packed stream: damaged rows record";
    if (first + r < wire_->layout().tables[table].rows) continue;  // sent again
    const std::uint32_t local_index = table_map_[table];
    int local_row = local_.layout().find_row(local_index, local_key);
    if (local_row < 0) local_row = local_.add_row(local_index, local_key, first_seq);
    if (local_row < 0 || wire_->add_row(table, key, first_seq) < 0) {
      return "packed stream: more rows than this program holds";
    }
    row_map_[table].push_back(static_cast<std::uint32_t>(local_row));
  }
  return nullptr;
}

}  // namespace mikroscope::proc
