// Series of metrics, found again for every event without comparing labels: a shape's cells are bound to them
// once. Values may be taken back, for a batch that the store did not take.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sinks/stores/families.h"

namespace mikroscope::sinks {

// What all kinds of series have; `S` of SeriesTable derives from it.
struct SeriesBase {
  std::shared_ptr<const std::vector<Metric>> metrics;
  const Metric* metric = nullptr;
  Labels labels;
  std::int64_t last_ns = 0;                          // time of the newest reading
  model::EventKind kind = model::EventKind::sample;  // of the events that tell of it
  // Added-up value of what comes as increments, and what it was before this batch.
  Number sum = Number::of(std::int64_t{0});
  Number sum_before;
  bool staged = false;  // kept for this batch

  // What a batch changes, as it was: derived kinds keep theirs too.
  void keep() { sum_before = sum; }
  void restore() { sum = sum_before; }
};

template <class S>
class SeriesTable {
 public:
  // `stale_ns`: a series that newer readings of its measurement leave out for so long has ended.
  // `differences`: readings of delta fields are what they grew by, and nothing is added up.
  SeriesTable(Naming naming, std::string host_label, std::int64_t stale_ns, bool differences = false)
      : naming_(naming), host_label_(std::move(host_label)), stale_ns_(stale_ns), differences_(differences) {}

  // Calls on_reading(S&, Reading, table index) for each metric that the event tells something of. Increments
  // come added up: their reading is the sum so far. `adds` still tells that they were.
  template <class F>
  void take(const model::Event& event, const F& on_reading) {
    if (!event.shape || !event.origin) return;
    Host& host = host_of(event.origin->host);
    Binding& binding = bind(host, event);
    const auto& tables = event.shape->tables();
    for (BoundTable& bound : binding) {
      bool any = false;
      for (Cell& cell : bound.cells) {
        const model::ShapeTable& table = tables[bound.table];
        std::optional<Reading> reading = read(event, *cell.metric, table, cell.row, differences_);
        if (!reading) continue;
        // A row of zeroes of a sparse measurement begins no series.
        if (cell.series == nullptr && table.measurement->sparse && reading->value.as_double() == 0) continue;
        if (cell.series == nullptr || cell.metric->from == From::info)
          cell.series = series_of(host, event, bound, *cell.metric, table, cell.row);
        any = true;
        S& series = *cell.series;
        if (event.wall_ns > series.last_ns) series.last_ns = event.wall_ns;
        stage(series);
        if (reading->adds) {
          reading->increment = reading->value;
          series.sum = series.sum + reading->value;
          if (!differences_) reading->value = series.sum;
        }
        on_reading(series, *reading, bound.table);
      }
      if (any && event.wall_ns > *bound.newest_ns) *bound.newest_ns = event.wall_ns;
    }
  }

  // The known series of some slots of the event, which the batch may change.
  template <class Slots, class F>
  void at_slots(const model::Event& event, const Slots& slots, const F& f) {
    Binding& binding = bind(host_of(event.origin->host), event);
    for (BoundTable& bound : binding) {
      const model::ShapeTable& table = event.shape->tables()[bound.table];
      for (Cell& cell : bound.cells) {
        if (cell.metric->from == From::rows || cell.metric->from == From::info) continue;
        if (slots.find(table.slot(cell.row, cell.metric->field)) == slots.end()) continue;
        if (cell.series == nullptr)
          cell.series = series_of(host_of(event.origin->host), event, bound, *cell.metric, table, cell.row);
        stage(*cell.series);
        if (cell.series->last_ns == 0) cell.series->last_ns = event.wall_ns;
        f(*cell.series);
      }
    }
  }

  void commit() {
    for (S* series : staged_) series->staged = false;
    staged_.clear();
  }
  void roll_back() {
    for (S* series : staged_) {
      series->restore();
      series->staged = false;
    }
    staged_.clear();
  }

  // Removes what has ended, after a commit; ended(S&, newest_ns) hears of each.
  template <class F>
  void sweep(const F& ended) {
    for (auto& [name, host] : hosts_) {
      std::vector<std::string> gone;
      for (const auto& [key, entry] : host.series) {
        const std::int64_t newest = *entry.newest_ns;
        if (entry.series->metric->lasting() || newest - entry.series->last_ns <= stale_ns_) continue;
        ended(*entry.series, newest);
        gone.push_back(key);
      }
      drop(host, gone);
    }
  }
  // Removes series of a host that `gone` is true for.
  template <class F>
  void remove(const std::string& host_name, const F& gone) {
    const auto found = hosts_.find(host_name);
    if (found == hosts_.end()) return;
    std::vector<std::string> keys;
    for (const auto& [key, entry] : found->second.series) {
      if (gone(*entry.series)) keys.push_back(key);
    }
    drop(found->second, keys);
  }

  // Of this batch, in the order of their first reading.
  const std::vector<S*>& touched() const { return staged_; }

  template <class F>
  void each(const F& f) {
    for (auto& [name, host] : hosts_) {
      for (auto& [key, entry] : host.series) f(*entry.series);
    }
  }

 private:
  struct Cell {
    const Metric* metric = nullptr;
    std::size_t row = 0;
    S* series = nullptr;
  };
  struct BoundTable {
    std::size_t table = 0;
    std::shared_ptr<const std::vector<Metric>> metrics;
    std::shared_ptr<std::int64_t> newest_ns;
    std::vector<Cell> cells;
  };
  using Binding = std::vector<BoundTable>;
  struct Entry {
    std::unique_ptr<S> series;
    std::shared_ptr<std::int64_t> newest_ns;  // of its measurement
  };
  struct Host {
    std::map<std::string, Entry> series;
    std::unordered_map<std::uint64_t, Binding> bindings;  // by shape
    std::map<std::string, std::shared_ptr<std::int64_t>> newest_ns;
    std::map<std::string, std::string> info;  // row of an info metric to the key of its series
  };
  static constexpr std::size_t kMaxBindings = 64;

  void stage(S& series) {
    if (series.staged) return;
    series.staged = true;
    series.keep();
    staged_.push_back(&series);
  }
  Host& host_of(const std::string& name) { return hosts_[name]; }

  Binding& bind(Host& host, const model::Event& event) {
    const auto found = host.bindings.find(event.shape->id());
    if (found != host.bindings.end()) return found->second;
    if (host.bindings.size() >= kMaxBindings) host.bindings.clear();
    Binding binding;
    const auto& tables = event.shape->tables();
    for (std::size_t t = 0; t < tables.size(); ++t) {
      BoundTable bound;
      bound.table = t;
      bound.metrics = metrics_for(tables[t].measurement);
      auto& newest = host.newest_ns[tables[t].measurement->name];
      if (!newest) newest = std::make_shared<std::int64_t>(0);
      bound.newest_ns = newest;
      for (const Metric& metric : *bound.metrics) {
        for (std::size_t row = 0; row < tables[t].rows.size(); ++row)
          bound.cells.push_back({&metric, row, nullptr});
      }
      binding.push_back(std::move(bound));
    }
    return host.bindings.emplace(event.shape->id(), std::move(binding)).first->second;
  }

  // Measurements of one content share their metrics.
  std::shared_ptr<const std::vector<Metric>> metrics_for(const model::MeasurementPtr& measurement) {
    std::string key = measurement->name;
    const auto add = [&key](std::string_view text) {
      key += '\0';
      key += text;
    };
    for (const model::Key& k : measurement->keys) add(k.name);
    add("|");
    for (const model::Field& f : measurement->fields) {
      add(f.name);
      key += static_cast<char>('0' + static_cast<int>(f.kind));
      key += static_cast<char>('0' + static_cast<int>(f.type));
      key += static_cast<char>('A' + static_cast<int>(f.unit));
      key += static_cast<char>('0' + f.decimals);
    }
    auto& metrics = metrics_[key];
    if (!metrics) metrics = std::make_shared<const std::vector<Metric>>(metrics_of(*measurement, naming_));
    return metrics;
  }

  S* series_of(Host& host, const model::Event& event, const BoundTable& bound, const Metric& metric,
               const model::ShapeTable& table, std::size_t row) {
    Labels labels = labels_of(event, metric, table, row, host_label_);
    std::string key = metric.name;
    for (const auto& [name, value] : labels) key += '\0' + name + '\0' + value;
    if (metric.from == From::info) {  // one at a time per row: changed texts end the series before
      std::string row_key = metric.name;
      for (const std::string& k : table.rows[row].keys) row_key += '\0' + k;
      std::string& last = host.info[row_key];
      if (!last.empty() && last != key) {
        const auto old = host.series.find(last);
        if (old != host.series.end()) old->second.series->last_ns = INT64_MIN / 2;
      }
      last = key;
    }
    Entry& entry = host.series[key];
    if (!entry.series) {
      entry.series = std::make_unique<S>();
      entry.newest_ns = bound.newest_ns;
      entry.series->metrics = bound.metrics;
      entry.series->metric = &metric;
      entry.series->labels = std::move(labels);
      entry.series->kind = event.kind;
    }
    return entry.series.get();
  }

  void drop(Host& host, const std::vector<std::string>& keys) {
    if (keys.empty()) return;
    host.bindings.clear();
    for (const std::string& key : keys) host.series.erase(key);
  }

  Naming naming_;
  std::string host_label_;
  std::int64_t stale_ns_;
  bool differences_;
  std::map<std::string, Host> hosts_;
  std::map<std::string, std::shared_ptr<const std::vector<Metric>>> metrics_;
  std::vector<S*> staged_;
};

}  // namespace mikroscope::sinks
