#include "proc/reader/learned_tables.h"

#include <algorithm>

#include "proc/source.h"

namespace mikroscope::proc {
namespace {

bool is_key_name(std::string_view name) {
  for (const TableDef& def : all_tables()) {
    for (const KeyColumn& key : def.schema->keys) {
      if (key.name == name) return true;
    }
  }
  return false;
}

// The keys head the rows of an unknown table. They are texts, or integers under a name that is a key
// elsewhere (cpu, node); a row without either is known by its first member.
std::unique_ptr<OwnedSchema> guess_schema(std::string_view name, std::string_view value,
                                          bool all_members_are_keys) {
  auto schema = std::make_unique<OwnedSchema>(name, "");
  JsonScan in(value);
  if (!in.consume('[') || !in.consume('{')) return schema;
  std::string key;
  JsonValue v;
  do {
    if (!in.string(key) || !in.consume(':') || !in.scalar(v)) break;
    const bool is_key = v.is_text || all_members_are_keys || is_key_name(key);
    if (!is_key && !schema->schema().keys.empty()) break;
    if (schema->schema().keys.size() < kMaxKeys) {
      schema->add_key(key, v.is_text, all_members_are_keys && v.is_text);
    }
    if (!is_key) break;
  } while (in.consume(','));
  return schema;
}

}  // namespace

void LearnedTables::fit_cells() {
  const Layout& l = local_.layout();
  cells_.values.resize(l.slots);
  cells_.present.resize(l.slots);
  cells_.intervals.resize(l.table_count);
  rows_by_key_.resize(l.table_count);
}

void LearnedTables::begin_sample(std::int64_t dt_ns) {
  std::fill(cells_.present.begin(), cells_.present.end(), std::uint8_t{0});
  std::fill(cells_.intervals.begin(), cells_.intervals.end(), dt_ns);
}

std::uint32_t LearnedTables::table_for(std::string_view name, std::string_view value,
                                       bool all_members_are_keys) {
  if (const int known = local_.layout().find(name); known >= 0) return static_cast<std::uint32_t>(known);
  const Schema* const schema = builtin_schema(name);
  const int added = schema != nullptr ? local_.add_table(*schema)
                                      : local_.add_table(guess_schema(name, value, all_members_are_keys));
  if (added < 0) return kMaxTables;
  fit_cells();
  return static_cast<std::uint32_t>(added);
}

int LearnedTables::column_for(std::uint32_t table, std::string_view name, const JsonValue& value) {
  const Schema& s = *local_.layout().tables[table].schema;
  if (const int known = s.column(name); known >= 0) return known;
  if (s.columns.size() == kMaxColumns) return -1;
  auto wider = std::make_unique<OwnedSchema>(s.table, s.help);
  for (const KeyColumn& k : s.keys) wider->add_key(k.name, k.text, k.label);
  for (const Column& c : s.columns) wider->add_column(c.name, c, c.help);
  Column column;
  column.decimals = static_cast<std::uint8_t>(value.decimals);
  wider->add_column(name, column, "");
  local_.replace_schema(table, std::move(wider));
  fit_cells();
  return static_cast<int>(s.columns.size());
}

int LearnedTables::row_for(std::uint32_t table, const JsonMembers& keys) {
  const Schema& s = *local_.layout().tables[table].schema;
  std::string printed;
  RowKey key;
  for (std::size_t k = 0; k < s.keys.size(); ++k) {
    const auto it =
        std::find_if(keys.begin(), keys.end(), [&](const auto& m) { return m.first == s.keys[k].name; });
    if (it == keys.end()) {
      if (!s.keys[k].label) return -1;
      key.part[k] = local_.intern("");
      continue;
    }
    key.part[k] = s.keys[k].text ? local_.intern(it->second.text) : static_cast<KeyPart>(it->second.number);
    if (s.keys[k].label) continue;
    printed += s.keys[k].text ? it->second.text : std::to_string(it->second.number);
    printed += '\0';
  }
  const bool labelled = std::any_of(keys.begin(), keys.end(), [&](const auto& m) {
    return std::any_of(s.keys.begin(), s.keys.end(),
                       [&](const KeyColumn& k) { return k.label && k.name == m.first; });
  });
  auto& known = rows_by_key_[table];
  if (!labelled) {
    if (const auto it = known.find(printed); it != known.end()) return static_cast<int>(it->second);
  }
  int row = local_.layout().find_row(table, key);
  if (row < 0) row = local_.add_row(table, key, 0);
  if (row < 0) return -1;
  known[printed] = static_cast<std::uint32_t>(row);
  fit_cells();
  return row;
}

}  // namespace mikroscope::proc
