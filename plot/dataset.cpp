#include "plot/dataset.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/host/files.h"
#include "base/text.h"
#include "plot/csv.h"
#include "plot/hash.h"
#include "plot/panels.h"
#include "plot/svg_text.h"

namespace mikroscope::plot {
namespace {

constexpr double kBeside_s = 1;  // how far from a span its neighbours may lie

bool parse_number(std::string_view text, double& out) {
  text = base::trim(text);
  const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), out);
  return ec == std::errc() && end == text.data() + text.size() && std::isfinite(out);
}

// Where the columns of a header stand; -1 for those it has not.
std::vector<int> columns_of(const CsvRow& header, std::initializer_list<std::string_view> names) {
  std::vector<int> out;
  for (const std::string_view name : names) {
    int at = -1;
    for (std::size_t i = 0; i < header.fields.size(); ++i) {
      if (base::trim(header.fields[i]) == name) at = static_cast<int>(i);
    }
    out.push_back(at);
  }
  return out;
}

bool cell(const CsvRow& row, int column, double& out) {
  return column >= 0 && static_cast<std::size_t>(column) < row.fields.size() &&
         parse_number(row.fields[static_cast<std::size_t>(column)], out);
}

std::int64_t ns(double seconds) {
  return std::llround(seconds * 1e9);
}

void load_marks(const std::string& path, DataSet& data) {
  const auto text = base::read_text(path);
  if (!text) return;  // a data set without markers
  const auto rows = parse_csv(*text);
  if (rows.empty()) return;
  const auto at = columns_of(rows.front(), {"rel_s", "label", "kind"});
  for (std::size_t i = 1; i < rows.size(); ++i) {
    double rel_s = 0;
    const auto& fields = rows[i].fields;
    if (!cell(rows[i], at[0], rel_s) || at[1] < 0 || static_cast<std::size_t>(at[1]) >= fields.size()) {
      data.notes.push_back(fmt::format("{} line {}: no marker, skipped", path, rows[i].line));
      continue;
    }
    const bool has_kind = at[2] >= 0 && static_cast<std::size_t>(at[2]) < fields.size();
    data.marks.push_back({ns(rel_s),
                          {},
                          has_kind ? fields[static_cast<std::size_t>(at[2])] : "neutral",
                          clean_text(fields[static_cast<std::size_t>(at[1])])});
  }
  std::stable_sort(data.marks.begin(), data.marks.end(),
                   [](const Mark& a, const Mark& b) { return a.axis_ns < b.axis_ns; });
}

base::Result<void> load_background(const std::string& path, bool must_exist, DataSet& data) {
  const auto text = base::read_text(path);
  if (!text) return must_exist ? base::Result<void>(text.error()) : base::Result<void>();
  const auto rows = parse_csv(*text);
  if (rows.empty()) return {};
  const auto at = columns_of(rows.front(), {"from_s", "to_s"});
  for (std::size_t i = 1; i < rows.size(); ++i) {
    BackgroundSpan span;
    if (!cell(rows[i], at[0], span.from_s) || !cell(rows[i], at[1], span.to_s) || span.to_s < span.from_s) {
      data.notes.push_back(fmt::format("{} line {}: no span, skipped", path, rows[i].line));
      continue;
    }
    data.background.push_back(span);
  }
  return {};
}

// Compared as integers: 1.8 read from one file and 18 steps of 0.1 are the same instant.
bool inside(const DataSet::Row& row, const BackgroundSpan& span) {
  return row.axis_ns >= ns(span.from_s) && row.axis_ns <= ns(span.to_s);
}

}  // namespace

base::Result<DataSet> load_dataset(const std::string& path, const std::string& prefix,
                                   const std::string& background) {
  auto text = base::read_text(path);
  if (!text) return text.error();
  DataSet data;
  data.sha256 = sha256_hex(*text);
  const auto rows = parse_csv(*text);
  if (rows.empty()) return base::Error{path + ": empty", {}, base::Exit::no_data};
  const auto at = columns_of(rows.front(), {"rel_s", "cpu_pct", "ram_used_mib"});
  if (at[0] < 0 || (at[1] < 0 && at[2] < 0)) {
    return base::Error{path + ": its first line is not rel_s,cpu_pct,ram_used_mib", {}, base::Exit::failed};
  }
  for (std::size_t i = 1; i < rows.size(); ++i) {
    DataSet::Row row;
    double rel_s = 0;
    row.has_cpu = cell(rows[i], at[1], row.cpu);
    row.has_memory = cell(rows[i], at[2], row.memory);
    if (!cell(rows[i], at[0], rel_s) || std::fabs(rel_s) > 9e8 || (!row.has_cpu && !row.has_memory)) {
      if (data.rows_skipped++ == 0) data.first_skipped = fmt::format("line {}: no numbers", rows[i].line);
      continue;
    }
    row.axis_ns = ns(rel_s);
    data.rows.push_back(row);
  }
  if (data.rows.empty()) return base::Error{path + ": no samples", {}, base::Exit::no_data};
  std::stable_sort(data.rows.begin(), data.rows.end(),
                   [](const DataSet::Row& a, const DataSet::Row& b) { return a.axis_ns < b.axis_ns; });
  std::vector<std::int64_t> steps;
  for (std::size_t i = 1; i < data.rows.size(); ++i)
    steps.push_back(data.rows[i].axis_ns - data.rows[i - 1].axis_ns);
  if (!steps.empty()) {
    const auto middle = steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2);
    std::nth_element(steps.begin(), middle, steps.end());
    data.interval_ns = *middle;
  }
  load_marks(prefix + "-markers.csv", data);
  if (background != "none") {
    const bool named = !background.empty();
    if (auto r = load_background(named ? background : prefix + "-background.csv", named, data); !r)
      return r.error();
  }
  return data;
}

void smooth_background(DataSet& data) {
  const std::vector<DataSet::Row> raw = data.rows;
  const auto in_any = [&](const DataSet::Row& row) {
    return std::any_of(data.background.begin(), data.background.end(),
                       [&](const BackgroundSpan& s) { return inside(row, s); });
  };
  for (BackgroundSpan& span : data.background) {
    double cpu = 0;
    double memory = 0;
    std::size_t cpu_count = 0;
    std::size_t memory_count = 0;
    for (const DataSet::Row& row : raw) {
      const bool beside =
          row.axis_ns >= ns(span.from_s - kBeside_s) && row.axis_ns <= ns(span.to_s + kBeside_s);
      if (!beside || in_any(row)) continue;
      if (row.has_cpu) cpu += row.cpu, ++cpu_count;
      if (row.has_memory) memory += row.memory, ++memory_count;
    }
    for (DataSet::Row& row : data.rows) {
      if (!inside(row, span)) continue;
      if (row.has_cpu && cpu_count != 0) row.cpu = cpu / static_cast<double>(cpu_count);
      if (row.has_memory && memory_count != 0) row.memory = memory / static_cast<double>(memory_count);
    }
    span.smoothed = cpu_count != 0 || memory_count != 0;
  }
}

Collected collect_dataset(const DataSet& data, const Grid& grid, std::uint32_t smooth) {
  Collected out;
  out.grid = grid;
  out.smooth = smooth;
  out.lines_skipped = data.rows_skipped;
  out.first_skipped = data.first_skipped;
  const Panel* const panels[] = {&kTotalPanel, &kMemoryPanel};
  for (const Panel* panel : panels) {
    const Pick& pick = panel->picks.front();
    PanelData p;
    p.panel = panel;
    p.series.push_back({&pick, std::string(pick.label), 0, pick.hue, false, Series(grid, {smooth, 1})});
    out.panels.push_back(std::move(p));
  }
  Series& cpu = out.panels[0].series[0].series;
  Series& memory = out.panels[1].series[0].series;
  const DataSet::Row* before = nullptr;
  for (const DataSet::Row& row : data.rows) {
    if (row.axis_ns < grid.first_ns || row.axis_ns > grid.last_ns) continue;
    if (before != nullptr && data.interval_ns > 0 &&
        row.axis_ns - before->axis_ns > data.interval_ns * 3 / 2) {
      const std::int64_t missing =
          (row.axis_ns - before->axis_ns + data.interval_ns / 2) / data.interval_ns - 1;
      out.breaks.push_back({before->axis_ns, row.axis_ns, static_cast<std::uint64_t>(missing), false, false});
      cpu.cut();
      memory.cut();
    }
    before = &row;
    ++out.samples;
    row.has_cpu ? cpu.add(row.axis_ns, row.cpu, 1) : cpu.absent();
    row.has_memory ? memory.add(row.axis_ns, row.memory, 1) : memory.absent();
  }
  for (PanelData& p : out.panels) {
    p.series[0].series.finish();
    out.dropped_samples = std::max(out.dropped_samples, p.series[0].series.dropped_samples());
    settle(p);
  }
  return out;
}

}  // namespace mikroscope::plot
