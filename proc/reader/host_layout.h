// A Layout that owns its memory and grows, for readers that learn tables and rows from what they read.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "proc/layout.h"

namespace mikroscope::proc {

// A Schema with its own strings, for tables that this build does not know.
class OwnedSchema {
 public:
  OwnedSchema(std::string_view table, std::string_view help);
  OwnedSchema(const OwnedSchema&) = delete;
  OwnedSchema& operator=(const OwnedSchema&) = delete;
  void add_key(std::string_view name, bool text, bool label);
  // `column` without its texts, which are copied from `name` and, where this build knows the column, its
  // help.
  void add_column(std::string_view name, Column column, std::string_view help);
  const Schema& schema() const { return schema_; }

 private:
  std::deque<std::string> texts_;  // stable addresses
  std::vector<KeyColumn> keys_;
  std::vector<Column> columns_;
  Schema schema_;
};

class HostLayout {
 public:
  // What hostile input may make a reader hold.
  static constexpr std::uint32_t kMaxSlots = 1U << 20;
  static constexpr std::uint32_t kMaxTexts = 1U << 14;

  HostLayout();
  HostLayout(const HostLayout&) = delete;
  HostLayout& operator=(const HostLayout&) = delete;

  Layout& layout() { return layout_; }
  const Layout& layout() const { return layout_; }

  // Adds a table (keyless ones get their row); -1 when there are kMaxTables. The schema must outlive this
  // object.
  int add_table(const Schema& schema);
  int add_table(std::unique_ptr<OwnedSchema> schema);
  // Gives a table a schema with further columns after those it has. Slots move.
  void replace_schema(std::uint32_t table, std::unique_ptr<OwnedSchema> schema);
  // Appends a row, growing the layout where needed. -1 beyond the limits.
  int add_row(std::uint32_t table, const RowKey& key, std::uint64_t first_seq);
  // -1 beyond the limits.
  KeyPart intern(std::string_view text);
  // Changes whenever slot numbers did: caches of slots must then be dropped.
  std::uint64_t generation() const { return generation_; }

 private:
  struct Rows {
    std::vector<RowKey> keys;
    std::vector<std::uint64_t> first_seq;
  };
  void renumber();

  Layout layout_;
  std::vector<Table> tables_;
  std::vector<Rows> rows_;
  std::vector<std::unique_ptr<OwnedSchema>> owned_;
  std::vector<std::byte> text_memory_;
  std::uint32_t text_capacity_ = 0;
  Texts texts_;
  std::uint64_t generation_ = 0;
};

// The schema of this name that this build knows, or nullptr.
const Schema* builtin_schema(std::string_view table);

}  // namespace mikroscope::proc
