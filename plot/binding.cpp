#include "plot/binding.h"

#include <fmt/format.h>

#include <algorithm>

namespace mikroscope::plot {
namespace {

constexpr std::size_t kMaxSeries = 512;  // of one pick
constexpr double kNsPerSecond = 1e9;

// A share of one core, computed for the whole frame.
bool is_share(Take take) {
  return take == Take::busy || take == Take::busy_cycles || take == Take::busy_idle;
}

}  // namespace

Binding::Binding(const Pick& pick, PanelData& panel, const Grid& grid, std::uint32_t smooth,
                 std::uint32_t slide)
    : pick_(pick), panel_(panel), grid_(grid) {
  const bool by_ticks = pick.take == Take::busy || pick.take == Take::busy_total;
  averaging_ = {smooth, by_ticks ? slide : 1};
}

void Binding::frame(const proc::Frame& f, std::int64_t axis_ns, std::uint32_t column,
                    const CoreShares& shares) {
  axis_ns_ = axis_ns;
  grid_column_ = column;
  if (pick_.take == Take::busy_total) {
    bind_single();
    there_.assign(1, shares.total ? 1 : 0);
    put(0, shares.total.value_or(0), 1);
    return;
  }
  bind(f);
  if (table_ < 0 || !f.has_table(static_cast<std::uint32_t>(table_))) {
    for (const std::size_t s : groups_) panel_.series[s].series.absent();
    return;
  }
  const auto t = static_cast<std::uint32_t>(table_);
  values_.assign(groups_.size(), 0);
  there_.assign(groups_.size(), 0);
  switch (pick_.take) {
    case Take::busy:
      share_values(shares.ticks);
      break;
    case Take::busy_cycles:
      share_values(shares.cycles);
      break;
    case Take::busy_idle:
      share_values(shares.idle);
      break;
    default:
      cell_values(f, t);
  }
  const double interval_s = static_cast<double>(f.intervals_ns[t]) / kNsPerSecond;
  const double weight = pick_.take == Take::level ? 1 : interval_s;
  const bool rate = pick_.take == Take::rate;
  for (std::size_t g = 0; g < groups_.size(); ++g)
    put(g, rate ? values_[g] / interval_s : values_[g], weight);
}

void Binding::share_values(const std::vector<std::optional<double>>& shares) {
  const std::size_t rows = std::min(shares.size(), row_group_.size());
  for (std::size_t row = 0; row < rows; ++row) {
    const int group = row_group_[row];
    if (group < 0 || !shares[row]) continue;
    values_[static_cast<std::size_t>(group)] += *shares[row];
    there_[static_cast<std::size_t>(group)] = 1;
  }
}

void Binding::cell_values(const proc::Frame& f, std::uint32_t table) {
  if (column_ < 0) return;
  const proc::Table& t = f.layout->tables[table];
  const auto rows = std::min<std::size_t>(f.rows[table], row_group_.size());
  const std::uint32_t stride = t.columns();
  std::uint32_t slot = t.slot(0, static_cast<std::uint32_t>(column_));
  const std::uint32_t apart = static_cast<std::uint32_t>(minus_ >= 0 ? minus_ - column_ : 0);
  for (std::size_t row = 0; row < rows; ++row, slot += stride) {
    const int group = row_group_[row];
    if (group < 0 || f.present[slot] == 0) continue;
    auto value = static_cast<double>(f.values[slot]);
    if (minus_ >= 0) {
      if (f.present[slot + apart] == 0) continue;
      value -= static_cast<double>(f.values[slot + apart]);
    }
    values_[static_cast<std::size_t>(group)] += value * scale_;
    there_[static_cast<std::size_t>(group)] = 1;
  }
}

void Binding::put(std::size_t group, double value, double weight) {
  const bool there = there_[group] != 0;
  if (pick_.limit) {
    if (there) limit_ = value;
    return;
  }
  Series& s = panel_.series[groups_[group]].series;
  if (there && weight > 0) {
    s.add(axis_ns_, grid_column_, value, weight);
  } else {
    s.absent();
  }
}

std::size_t Binding::new_series(std::string label, std::int64_t order) {
  panel_.series.push_back({&pick_, std::move(label), order, pick_.hue, false, Series(grid_, averaging_)});
  return panel_.series.size() - 1;
}

void Binding::bind_single() {
  if (groups_.empty()) groups_.push_back(new_series(std::string(pick_.label), 0));
}

void Binding::bind(const proc::Frame& f) {
  if (table_ < 0) {
    if (f.layout->table_count == tables_seen_) return;
    tables_seen_ = f.layout->table_count;
    table_ = f.layout->find(pick_.table);
    if (table_ < 0) return;
  }
  const proc::Table& t = f.layout->tables[table_];
  if (t.schema != schema_) {
    schema_ = t.schema;
    column_ = is_share(pick_.take) ? 0 : t.schema->column(pick_.column);
    minus_ = pick_.minus.empty() ? -1 : t.schema->column(pick_.minus);
    if (!pick_.minus.empty() && minus_ < 0) column_ = -1;
    scale_ = pick_.scale;
    if (column_ >= 0) {
      for (int i = 0; i < t.schema->columns[static_cast<std::size_t>(column_)].decimals; ++i) scale_ /= 10;
    }
  }
  if (column_ < 0) return;
  while (row_group_.size() < t.rows)
    row_group_.push_back(group_of(f, t, static_cast<std::uint32_t>(row_group_.size())));
}

int Binding::group_of(const proc::Frame& f, const proc::Table& t, std::uint32_t row) {
  const auto& keys = t.schema->keys;
  const proc::Texts& texts = *f.layout->texts;
  if (!pick_.only.empty() && (keys.empty() || texts[t.keys[row].part[0]] != pick_.only)) return -1;
  if (pick_.rows == Rows::sum || keys.empty()) {
    bind_single();
    return 0;
  }
  const std::size_t by = std::min<std::size_t>(pick_.by, keys.size() - 1);
  const proc::KeyPart key = t.keys[row].part[by];
  const auto [at, added] = by_key_.try_emplace(key, static_cast<int>(groups_.size()));
  const std::string name = label(t, texts, row);
  if (!added) {
    // A name that came with a later line than the row.
    NamedSeries& known = panel_.series[groups_[static_cast<std::size_t>(at->second)]];
    if (known.label.size() < name.size() && keys[std::min<std::size_t>(pick_.name, keys.size() - 1)].label) {
      known.label = name;
    }
    return at->second;
  }
  if (groups_.size() == kMaxSeries) {
    by_key_.erase(at);
    ++not_kept_;
    return -1;
  }
  groups_.push_back(new_series(name, keys[by].text ? static_cast<std::int64_t>(groups_.size()) : key));
  return at->second;
}

std::string Binding::label(const proc::Table& t, const proc::Texts& texts, std::uint32_t row) const {
  const auto& keys = t.schema->keys;
  const auto part = [&](std::size_t k) {
    const proc::KeyPart p = t.keys[row].part[k];
    return keys[k].text ? std::string(texts[p]) : fmt::format("{}", p);
  };
  const std::size_t by = std::min<std::size_t>(pick_.by, keys.size() - 1);
  const std::size_t name = std::min<std::size_t>(pick_.name, keys.size() - 1);
  std::string text = pick_.name == pick_.by ? part(by) : part(name);
  if (text.empty()) text = part(by);
  return std::string(pick_.label) + text;
}

}  // namespace mikroscope::plot
