// A pick of a panel bound to the tables of one reader: turns frames into values of series.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "plot/busy.h"
#include "plot/collect.h"
#include "proc/reader/item.h"

namespace mikroscope::plot {

class Binding {
 public:
  // `panel` and `grid` must outlive it. `slide` is for shares that come in whole ticks.
  Binding(const Pick& pick, PanelData& panel, const Grid& grid, std::uint32_t smooth, std::uint32_t slide);

  // Once per frame, in order. `column` is that of `axis_ns` on the grid.
  void frame(const proc::Frame& f, std::int64_t axis_ns, std::uint32_t column, const CoreShares& shares);

  std::size_t not_kept() const { return not_kept_; }  // rows beyond the bound of one panel
  bool is_limit() const { return pick_.limit; }
  std::optional<double> limit() const { return limit_; }

 private:
  void put(std::size_t group, double value, double weight);
  void share_values(const std::vector<std::optional<double>>& shares);
  void cell_values(const proc::Frame& f, std::uint32_t table);
  std::size_t new_series(std::string label, std::int64_t order);
  void bind_single();
  void bind(const proc::Frame& f);
  int group_of(const proc::Frame& f, const proc::Table& t, std::uint32_t row);
  std::string label(const proc::Table& t, const proc::Texts& texts, std::uint32_t row) const;

  const Pick& pick_;
  PanelData& panel_;
  const Grid& grid_;
  Averaging averaging_;
  std::int64_t axis_ns_ = 0;  // of the frame at hand
  std::uint32_t grid_column_ = 0;
  const proc::Schema* schema_ = nullptr;
  std::uint32_t tables_seen_ = 0;
  int table_ = -1;
  int column_ = -1;
  int minus_ = -1;
  double scale_ = 1;
  std::vector<int> row_group_;
  std::vector<std::size_t> groups_;  // index into panel_.series
  std::map<proc::KeyPart, int> by_key_;
  std::vector<double> values_;       // per group
  std::vector<std::uint8_t> there_;  // per group: any cell had a value
  std::size_t not_kept_ = 0;
  std::optional<double> limit_;
};

}  // namespace mikroscope::plot
