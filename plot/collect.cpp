#include "plot/collect.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <variant>

#include "proc/reader/derived.h"
#include "proc/reader/reader.h"

namespace mikroscope::plot {
namespace {

constexpr std::size_t kMaxSeries = 512;     // of one pick
constexpr std::size_t kMaxEvents = 20'000;  // log records kept for one figure
constexpr double kNsPerSecond = 1e9;

// A pick bound to the layout of one reader.
class Binding {
 public:
  Binding(const Pick& pick, PanelData& panel, const Grid& grid, std::uint32_t smooth, std::uint32_t slide)
      : pick_(pick), panel_(panel), grid_(grid) {
    const bool busy = pick.take == Take::busy || pick.take == Take::busy_total;
    averaging_ = {smooth, busy ? slide : 1};
  }

  void frame(const proc::Frame& f, std::int64_t axis, std::span<const std::optional<double>> cores,
             std::optional<double> total) {
    if (pick_.take == Take::busy_total) {
      bind_single();
      put(0, axis, total, 1);
      return;
    }
    bind(f);
    if (table_ < 0 || !f.has_table(static_cast<std::uint32_t>(table_))) {
      for (const std::size_t s : groups_) panel_.series[s].series.absent();
      return;
    }
    const auto t = static_cast<std::uint32_t>(table_);
    const double interval_s = static_cast<double>(f.intervals_ns[t]) / kNsPerSecond;
    std::fill(values_.begin(), values_.end(), std::nullopt);
    const std::uint32_t rows =
        std::min<std::uint32_t>(f.rows[t], static_cast<std::uint32_t>(row_group_.size()));
    for (std::uint32_t row = 0; row < rows; ++row) {
      const int group = row_group_[row];
      if (group < 0) continue;
      const std::optional<double> v =
          pick_.take == Take::busy ? (row < cores.size() ? cores[row] : std::nullopt) : cell(f, t, row);
      if (v) {
        std::optional<double>& sum = values_[static_cast<std::size_t>(group)];
        sum = sum.value_or(0) + *v;
      }
    }
    const bool rate = pick_.take == Take::rate;
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      std::optional<double> v = values_[g];
      if (v && rate) v = interval_s > 0 ? std::optional(*v / interval_s) : std::nullopt;
      put(g, axis, v, pick_.take == Take::level ? 1 : interval_s);
    }
  }

  std::size_t not_kept() const { return not_kept_; }
  bool is_limit() const { return pick_.limit; }
  std::optional<double> limit() const { return limit_; }

 private:
  void put(std::size_t group, std::int64_t axis, std::optional<double> value, double weight) {
    if (pick_.limit) {
      if (value) limit_ = value;
      return;
    }
    Series& s = panel_.series[groups_[group]].series;
    if (value && weight > 0) {
      s.add(axis, *value, weight);
    } else {
      s.absent();
    }
  }

  std::optional<double> cell(const proc::Frame& f, std::uint32_t table, std::uint32_t row) const {
    const auto v = f.cell(table, row, static_cast<std::uint32_t>(column_));
    if (!v) return std::nullopt;
    double value = static_cast<double>(*v);
    if (minus_ >= 0) {
      const auto m = f.cell(table, row, static_cast<std::uint32_t>(minus_));
      if (!m) return std::nullopt;
      value -= static_cast<double>(*m);
    }
    return value * scale_;
  }

  std::size_t new_series(std::string label, std::int64_t order) {
    panel_.series.push_back({&pick_, std::move(label), order, pick_.hue, false, Series(grid_, averaging_)});
    return panel_.series.size() - 1;
  }

  void bind_single() {
    if (groups_.empty()) groups_.push_back(new_series(std::string(pick_.label), 0));
  }

  void bind(const proc::Frame& f) {
    if (table_ < 0) {
      if (f.layout->table_count == tables_seen_) return;
      tables_seen_ = f.layout->table_count;
      table_ = f.layout->find(pick_.table);
      if (table_ < 0) return;
    }
    const proc::Table& t = f.layout->tables[table_];
    if (t.schema != schema_) {
      schema_ = t.schema;
      column_ = pick_.take == Take::busy ? 0 : t.schema->column(pick_.column);
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
    values_.resize(groups_.size());
  }

  int group_of(const proc::Frame& f, const proc::Table& t, std::uint32_t row) {
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
      if (known.label.size() < name.size() &&
          keys[std::min<std::size_t>(pick_.name, keys.size() - 1)].label) {
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

  std::string label(const proc::Table& t, const proc::Texts& texts, std::uint32_t row) const {
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

  const Pick& pick_;
  PanelData& panel_;
  const Grid& grid_;
  Averaging averaging_;
  const proc::Schema* schema_ = nullptr;
  std::uint32_t tables_seen_ = 0;
  int table_ = -1;
  int column_ = -1;
  int minus_ = -1;
  double scale_ = 1;
  std::vector<int> row_group_;
  std::vector<std::size_t> groups_;  // index into panel_.series
  std::map<proc::KeyPart, int> by_key_;
  std::vector<std::optional<double>> values_;
  std::size_t not_kept_ = 0;
  std::optional<double> limit_;
};

class Collector {
 public:
  Collector(const RecordingIndex& index, const Grid& grid, std::span<const Panel* const> panels,
            std::uint32_t smooth) {
    out_.grid = grid;
    out_.smooth = smooth;
    out_.slide = samples_per_100_ms(index.interval_ns);
    out_.panels.resize(panels.size());
    for (std::size_t i = 0; i < panels.size(); ++i) {
      out_.panels[i].panel = panels[i];
      for (const Pick& pick : panels[i]->picks) {
        bindings_.push_back({&out_.panels[i], Binding(pick, out_.panels[i], out_.grid, smooth, out_.slide)});
      }
    }
  }

  void resume(const AxisCursor& cursor) {
    cursor_ = cursor;
    fresh_ = false;
  }
  // False: everything up to the end of the window has been seen.
  bool item(const proc::Item& item) {
    return std::visit([this](const auto& i) { return on(i); }, item);
  }
  void input_ended() { ended_ = true; }
  Collected finish();

 private:
  bool on(const proc::Frame& f) {
    const proc::TickHeader& h = f.head;
    if (h.seq == 0) return true;
    const std::uint32_t epoch = cursor_.epoch();
    const std::int64_t before = cursor_.last();
    const bool any = cursor_.any();
    const auto axis = cursor_.place({h.seq, h.boot_ns, h.wall_ns, h.dt_ns});
    if (!axis) return true;
    if (cursor_.epoch() != epoch) pending_.restart = pending_.reboot = true;
    if (last_seq_ != 0 && h.seq <= last_seq_) pending_.restart = true;  // that no line told of
    if (any && !fresh_ && !pending_.restart && pending_.lost == 0 && last_seq_ != 0 &&
        h.seq > last_seq_ + 1) {
      pending_.lost = h.seq - last_seq_ - 1;
    }
    if (!any) pending_ = {};  // before the first sample there is nothing to lose
    if (pending_.lost != 0 || pending_.restart) broken(any ? before : *axis, *axis);
    last_seq_ = h.seq;
    fresh_ = false;
    if (*axis > out_.grid.last_ns) return false;
    for (const std::string& label : pending_triggers_) out_.triggers.push_back({*axis, label});
    pending_triggers_.clear();
    if (*axis < out_.grid.first_ns) {
      out_.triggers.clear();
      return true;
    }
    ++out_.samples;
    busy(f);
    for (auto& [panel, binding] : bindings_) binding.frame(f, *axis, cores_, total_);
    return true;
  }

  void broken(std::int64_t from, std::int64_t to) {
    for (PanelData& p : out_.panels) {
      for (NamedSeries& s : p.series) s.series.cut();
    }
    if (to >= out_.grid.first_ns && from <= out_.grid.last_ns) {
      pending_.from_ns = from;
      pending_.to_ns = to;
      out_.breaks.push_back(pending_);
    }
    pending_ = {};
  }

  bool on(const proc::Gap& g) {
    pending_.lost += g.to >= g.from ? g.to - g.from + 1 : 0;
    return true;
  }
  bool on(const proc::Restart& r) {
    pending_.restart = true;
    pending_.reboot |= r.reboot;
    if (r.reboot) cursor_.reboot();
    return true;
  }
  bool on(const proc::Trigger& t) {
    pending_triggers_.push_back(fmt::format("{}: {} {:g}", t.cause, t.field, t.value));
    return true;
  }
  bool on(const proc::LogRecord& r) {
    if (!cursor_.any()) return true;
    const std::int64_t axis = r.boot_ns + cursor_.boot_to_axis();
    if (axis < out_.grid.first_ns || axis > out_.grid.last_ns) return true;
    if (out_.events.size() == kMaxEvents) {
      ++out_.events_not_kept;
    } else {
      out_.events.push_back({axis, r.level, r.message});
    }
    return true;
  }
  bool on(const proc::Malformed& m) {
    if (ended_) {
      out_.cut_last_line = true;
      return true;
    }
    if (out_.lines_skipped++ == 0) out_.first_skipped = fmt::format("line {}: {}", m.line, m.why);
    return true;
  }
  bool on(const proc::Bye&) { return true; }
  bool on(const proc::OtherLine&) { return true; }

  // Of each core, and their mean; computed once for all panels that show it.
  void busy(const proc::Frame& f) {
    total_.reset();
    const int cpu = f.layout->find("cpu");
    if (cpu < 0 || !f.has_table(static_cast<std::uint32_t>(cpu))) return;
    cores_.assign(f.rows[static_cast<std::size_t>(cpu)], std::nullopt);
    std::size_t with_value = 0;
    double sum = 0;
    for (std::uint32_t row = 0; row < cores_.size(); ++row) {
      const auto ratio = proc::busy_ratio(f, row);
      if (!ratio) continue;
      cores_[row] = *ratio * 100;
      sum += *ratio * 100;
      ++with_value;
    }
    if (with_value != 0) total_ = sum / static_cast<double>(with_value);
    out_.cores = std::max(out_.cores, with_value);
  }

  Collected out_;
  struct Bound {
    PanelData* panel;
    Binding binding;
  };
  std::vector<Bound> bindings_;
  AxisCursor cursor_;
  bool fresh_ = true;  // no sample seen yet
  bool ended_ = false;
  std::uint64_t last_seq_ = 0;
  Break pending_;
  std::vector<std::string> pending_triggers_;
  std::vector<std::optional<double>> cores_;
  std::optional<double> total_;
};

Collected Collector::finish() {
  out_.gaps_at_end = pending_.lost;
  for (auto& [panel, binding] : bindings_) {
    out_.rows_not_kept += binding.not_kept();
    if (binding.is_limit()) panel->limit = binding.limit();
  }
  for (PanelData& p : out_.panels) {
    for (NamedSeries& s : p.series) {
      s.series.finish();
      out_.dropped_samples = std::max(out_.dropped_samples, s.series.dropped_samples());
    }
    settle(p);
  }
  bindings_.clear();
  return std::move(out_);
}

}  // namespace

std::uint32_t samples_per_100_ms(std::int64_t interval_ns) {
  constexpr std::int64_t kSpan = 100'000'000;
  if (interval_ns <= 0) return 1;
  return static_cast<std::uint32_t>(
      std::clamp<std::int64_t>((kSpan + interval_ns / 2) / interval_ns, 1, 1000));
}

std::uint32_t automatic_smooth(std::int64_t window_ns, std::int64_t interval_ns, std::uint32_t columns) {
  if (interval_ns <= 0) return 1;
  const std::int64_t samples = window_ns / interval_ns;
  const std::uint64_t least = std::max<std::uint64_t>(samples_per_100_ms(interval_ns),
                                                      static_cast<std::uint64_t>(samples) * 4 / columns);
  for (std::uint64_t power = 1;; power *= 10) {
    for (const std::uint64_t m : {1, 2, 5}) {
      if (m * power >= least) return static_cast<std::uint32_t>(m * power);
    }
  }
}

base::Result<Collected> collect(const std::string& path, const RecordingIndex& index, const Grid& grid,
                                std::span<const Panel* const> panels, std::uint32_t smooth) {
  Collector collector(index, grid, panels, smooth);
  proc::NdjsonReader reader;
  FilePieces file;
  if (auto opened = file.open(path); !opened) return opened.error();

  // A window that begins late needs nothing of the lines before it but the names in them.
  const ResumePoint* start = nullptr;
  for (const ResumePoint& r : index.resume) {
    if (r.axis_ns >= grid.first_ns) break;
    start = &r;
  }
  if (start != nullptr && start->offset != 0) {
    for (const RecordingIndex::Extent& e : index.names) {
      if (e.offset < start->offset) reader.feed(file.at(e.offset, e.length));
    }
    while (const auto item = reader.next()) collector.item(*item);
    collector.resume(start->cursor);
    file.seek(start->offset);
  }
  bool more = true;
  while (more) {
    auto piece = file.next();
    if (!piece) return piece.error();
    if (piece->empty()) {
      // What comes now is about the last line, if it was cut; the file's own line break tells.
      if (index.cut_last_line) collector.input_ended();
      reader.finish();
    } else {
      reader.feed(*piece);
    }
    const bool at_end = piece->empty();
    while (more) {
      const auto item = reader.next();
      if (!item) break;
      more = collector.item(*item);
    }
    if (at_end) break;
  }
  return collector.finish();
}

void settle(PanelData& panel) {
  constexpr std::size_t kTop = 5;
  constexpr std::size_t kColoured = kSeriesColours;
  std::vector<NamedSeries> kept;
  for (NamedSeries& s : panel.series) {
    if (s.series.count() != 0) kept.push_back(std::move(s));
  }
  panel.series = std::move(kept);
  if (panel.series.empty()) return;
  const Rows rows = panel.series.front().pick->rows;
  if (rows == Rows::sum) return;
  if (rows == Rows::top && panel.series.size() > kTop) {
    std::stable_sort(
        panel.series.begin(), panel.series.end(),
        [](const NamedSeries& a, const NamedSeries& b) { return a.series.sum() > b.series.sum(); });
    panel.series_left_out = panel.series.size() - kTop;
    panel.series.erase(panel.series.begin() + kTop, panel.series.end());
  } else {
    std::stable_sort(panel.series.begin(), panel.series.end(),
                     [](const NamedSeries& a, const NamedSeries& b) { return a.order < b.order; });
  }
  // With more series than colours the greatest get one; the others are drawn behind, in grey.
  std::vector<std::size_t> by_mean(panel.series.size());
  for (std::size_t i = 0; i < by_mean.size(); ++i) by_mean[i] = i;
  if (panel.series.size() > kColoured) {
    std::stable_sort(by_mean.begin(), by_mean.end(), [&](std::size_t a, std::size_t b) {
      return panel.series[a].series.mean() > panel.series[b].series.mean();
    });
    for (std::size_t i = kColoured - 1; i < by_mean.size(); ++i) {
      panel.series[by_mean[i]].background = true;
      panel.series[by_mean[i]].hue = kSlate;
    }
  }
  std::size_t next = panel.series.front().pick->hue;
  for (NamedSeries& s : panel.series) {
    if (!s.background)
      s.hue = static_cast<Hue>(next++ % (panel.series.size() > kColoured ? kColoured - 1 : kColoured));
  }
}

}  // namespace mikroscope::plot
