// Every table and every source, in the order in which they are read and shown.

#include "proc/sources/tables.h"

namespace mikroscope::proc {
namespace {

constexpr TableDef kTables[] = {
    {&kCpuSchema, rows_per_cpu},
    {&kCpuTotalSchema, rows_one},
    {&kStatSchema, rows_one},
    {&kLoadSchema, rows_one},
};
static_assert(std::size(kTables) <= kMaxTables);

const SourceDef* const kSources[] = {
    &kStatSource,
    &kLoadavgSource,
};

}  // namespace

std::span<const TableDef> all_tables() {
  return kTables;
}

std::span<const SourceDef* const> all_sources() {
  return kSources;
}

const SourceDef* find_source(std::string_view name) {
  for (const SourceDef* source : kSources) {
    if (source->name == name) return source;
  }
  return nullptr;
}

TableWriter bind_table(Layout& layout, State& state, const Schema& schema) {
  for (std::uint32_t i = 0; i < layout.table_count; ++i) {
    if (layout.tables[i].schema == &schema) return {layout, state, i};
  }
  return {};
}

}  // namespace mikroscope::proc
