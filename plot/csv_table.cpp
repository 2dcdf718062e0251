#include "plot/csv_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "base/format.h"
#include "base/host/suggest.h"
#include "base/host/utc.h"
#include "base/text.h"
#include "plot/csv.h"
#include "proc/source.h"

namespace mikroscope::plot {
namespace {

constexpr std::size_t kLateRowsKept = 200;

std::vector<std::string> known_names() {
  std::vector<std::string> out{"busy_total"};
  for (const proc::TableDef& def : proc::all_tables()) {
    out.emplace_back(def.schema->table);
    for (const proc::Column& c : def.schema->columns)
      out.push_back(fmt::format("{}.{}", def.schema->table, c.name));
  }
  for (const proc::Derived& d : proc::all_derived()) out.push_back(fmt::format("{}.{}", d.table, d.name));
  return out;
}

void put_fixed(std::string& out, std::int64_t value, int decimals) {
  char text[40];
  base::Writer writer(text, sizeof text);
  writer.fixed(value, decimals);
  out += writer.view();
}

}  // namespace

base::Result<CsvSelection> CsvSelection::parse(std::string_view text) {
  CsvSelection out;
  if (text == "all" || text.empty()) return out;
  if (text == "none") {
    out.none_ = true;
    return out;
  }
  const std::vector<std::string> known = known_names();
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string name(base::trim(text.substr(0, comma)));
    text.remove_prefix(std::min(comma + 1, text.size()));
    if (name.empty()) continue;
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      const std::string near = base::closest(name, known);
      return base::Error{fmt::format("\"{}\" is no table and no table.column", name),
                         near.empty() ? "all, none, or a list such as cpu.user,mem,softnet"
                                      : fmt::format("did you mean {}?", near),
                         base::Exit::usage};
    }
    out.wanted_.push_back(name);
  }
  if (out.wanted_.empty())
    return base::Error{"the list of columns is empty", "all, none, or a list", base::Exit::usage};
  return out;
}

bool CsvSelection::takes(std::string_view table, std::string_view column) const {
  if (none_) return false;
  if (wanted_.empty()) return true;
  return std::any_of(wanted_.begin(), wanted_.end(), [&](std::string_view w) {
    if (table.empty()) return w == column;
    if (!w.starts_with(table)) return false;
    const std::string_view rest = w.substr(table.size());
    return rest.empty() || (rest[0] == '.' && rest.substr(1) == column);
  });
}

std::string row_name(const proc::Layout& layout, std::uint32_t table, std::uint32_t row) {
  const proc::Table& t = layout.tables[table];
  std::string out(t.schema->table);
  for (std::size_t k = 0; k < t.schema->keys.size(); ++k) {
    const proc::KeyColumn& key = t.schema->keys[k];
    if (key.label) continue;
    out += '.';
    if (key.text) {
      out += (*layout.texts)[t.keys[row].part[k]];
    } else {
      out += fmt::format("{}", t.keys[row].part[k]);
    }
  }
  return out;
}

std::string CsvTable::header(const proc::Frame& frame) {
  std::string out = "seq,boot_ns,wall_ns,wall_utc,dt_ns";
  if (selection_.takes_total()) out += ",busy_total";
  std::set<std::string> used;
  const auto add = [&](std::string name, Cell cell) {
    // Two rows that differ only in a label would share a name.
    for (int n = 2; !used.insert(name).second; ++n)
      name = fmt::format("{}#{}", name.substr(0, name.rfind('#')), n);
    out += ',';
    append_csv_field(out, name);
    cells_.push_back(cell);
  };
  for (std::uint32_t t = 0; t < frame.layout->table_count; ++t) {
    const proc::Schema& schema = *frame.layout->tables[t].schema;
    const std::uint32_t rows = t < frame.rows.size() ? frame.rows[t] : 0;
    rows_seen_.push_back(rows);
    for (std::uint32_t row = 0; row < rows; ++row) {
      const std::string name = row_name(*frame.layout, t, row);
      for (std::uint32_t c = 0; c < schema.columns.size(); ++c) {
        if (!selection_.takes(schema.table, schema.columns[c].name)) continue;
        add(fmt::format("{}.{}", name, schema.columns[c].name), {t, row, c, nullptr});
      }
      for (const proc::Derived& d : proc::all_derived()) {
        if (d.table == schema.table && selection_.takes(schema.table, d.name)) {
          add(fmt::format("{}.{}", name, d.name), {t, row, 0, &d});
        }
      }
    }
  }
  started_ = true;
  columns_ = 5 + (selection_.takes_total() ? 1 : 0) + cells_.size();
  return out + '\n';
}

std::string_view CsvTable::row(const proc::Frame& frame) {
  note_late_rows(frame);
  line_.clear();
  fmt::format_to(std::back_inserter(line_), "{},{},{},{},{}", frame.head.seq, frame.head.boot_ns,
                 frame.head.wall_ns, base::format_utc(frame.head.wall_ns, 9), frame.head.dt_ns);
  if (selection_.takes_total()) {
    line_ += ',';
    if (const auto busy = proc::busy_total(frame)) fmt::format_to(std::back_inserter(line_), "{:.4f}", *busy);
  }
  for (const Cell& cell : cells_) {
    line_ += ',';
    if (cell.derived != nullptr) {
      const auto value = cell.derived->compute(frame, cell.table, cell.row);
      if (value && cell.derived->unit == proc::Unit::ratio) {
        fmt::format_to(std::back_inserter(line_), "{:.4f}", *value);
      } else if (value) {
        fmt::format_to(std::back_inserter(line_), "{:.0f}", *value);
      }
      continue;
    }
    const auto value = frame.cell(cell.table, cell.row, cell.column);
    if (!value) continue;
    const int decimals = frame.layout->tables[cell.table].schema->columns[cell.column].decimals;
    if (decimals == 0) {
      const fmt::format_int text(*value);
      line_.append(text.data(), text.size());
    } else {
      put_fixed(line_, *value, decimals);
    }
  }
  line_ += '\n';
  return line_;
}

void CsvTable::note_late_rows(const proc::Frame& frame) {
  for (std::uint32_t t = 0; t < frame.rows.size(); ++t) {
    if (t == rows_seen_.size()) rows_seen_.push_back(0);
    for (; rows_seen_[t] < frame.rows[t]; ++rows_seen_[t]) {
      if (late_rows_.size() < kLateRowsKept) late_rows_.push_back(row_name(*frame.layout, t, rows_seen_[t]));
    }
  }
}

}  // namespace mikroscope::plot
