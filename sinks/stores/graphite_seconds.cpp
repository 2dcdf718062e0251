#include "sinks/stores/graphite_seconds.h"

#include <algorithm>

namespace mikroscope::sinks {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::size_t kMaxShapes = 4096;

std::int64_t second_of(std::int64_t ns) {
  return ns / kSecond - (ns % kSecond < 0 ? 1 : 0);
}

bool all_zero(const model::Event& event, const model::ShapeTable& table, std::size_t row) {
  for (std::uint32_t c = 0; c < table.columns(); ++c) {
    const std::uint32_t slot = table.slot(row, c);
    if (event.has(slot) && event.integer(slot) != 0) return false;
  }
  return true;
}

}  // namespace

std::string graphite_node(std::string_view text) {
  if (text.empty()) return "none";
  std::string out;
  for (const char c : text) {
    const bool keep = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      c == '_' || c == '-' || c == ':';
    out.push_back(keep ? c : '_');
  }
  return out;
}

GraphiteSeconds::GraphiteSeconds(std::string prefix) : prefix_(std::move(prefix)) {}

std::shared_ptr<const GraphiteSeconds::Paths> GraphiteSeconds::paths_of(const model::Event& event) {
  if (paths_.size() > kMaxShapes) paths_.clear();
  auto& paths = paths_[event.origin->host + '\0' + std::to_string(event.shape->id()) +
                       (event.kind == model::EventKind::sample ? "s" : "")];
  if (paths) return paths;
  auto made = std::make_shared<Paths>();
  const auto& tables = event.shape->tables();
  for (std::size_t t = 0; t < tables.size(); ++t) {
    const model::Measurement& m = *tables[t].measurement;
    const std::string start = prefix_ + graphite_node(event.origin->host) + '.' + graphite_node(m.name);
    const std::vector<Metric> metrics = metrics_of(m, Naming::prometheus);
    for (std::size_t row = 0; row < tables[t].rows.size(); ++row) {
      const auto& keys = tables[t].rows[row].keys;
      if (m.log) {  // how many; what they say is for log stores
        for (const Metric& metric : metrics) {
          if (metric.from != From::rows) continue;
          std::string path = start;
          for (std::size_t k = 0; k < m.keys.size(); ++k) {
            if (m.keys[k].text && !m.keys[k].label) path += '.' + graphite_node(keys[k]);
          }
          made->push_back({path + ".count", t, row, 0, Add::sum, true});
          break;
        }
      }
      const bool counted =
          std::any_of(m.keys.begin(), m.keys.end(), [](const model::Key& k) { return !k.text; });
      if (m.log && counted) continue;  // a number for each record is no path
      std::string path = start;
      for (std::size_t k = 0; k < m.keys.size(); ++k) {
        // Labels of the kernel's tables are names that stay; those of the router are comments that change.
        if (!m.keys[k].label || event.kind == model::EventKind::sample) path += '.' + graphite_node(keys[k]);
      }
      for (std::size_t f = 0; f < m.fields.size(); ++f) {
        const model::Field& field = m.fields[f];
        if (field.type == model::Type::text) continue;
        const bool counts = field.kind == model::Kind::delta ||
                            (field.unit == proc::Unit::events &&
                             std::any_of(metrics.begin(), metrics.end(), [f](const Metric& metric) {
                               return metric.from == From::sum && metric.field == f;
                             }));
        const std::string full = path + '.' + graphite_node(field.name);
        made->push_back({full, t, row, f, counts ? Add::sum : Add::last, false});
        if (field.unit == proc::Unit::ratio && !counts)
          made->push_back({full + ".max", t, row, f, Add::greatest, false});
      }
    }
  }
  paths = made;
  return paths;
}

void GraphiteSeconds::add(Open& open, const model::Event& event, const Paths& paths) const {
  const auto& tables = event.shape->tables();
  for (const Path& path : paths) {
    const model::ShapeTable& table = tables[path.table];
    Metric metric;
    metric.field = path.field;
    metric.from = path.rows ? From::rows : From::level;
    const model::Field* const field =
        table.measurement->fields.empty() ? nullptr : &table.measurement->fields[path.field];
    if (field != nullptr && field->type == model::Type::decimal) {
      for (int i = 0; i < field->decimals; ++i) metric.over *= 10;
    }
    const std::optional<Reading> reading = read(event, metric, table, path.row);
    if (!reading) continue;
    if (path.add == Add::sum && event.repeat) continue;
    if (table.measurement->sparse && all_zero(event, table, path.row)) continue;
    const auto [at, added] = open.values.try_emplace(path.text, Value{reading->value, path.add});
    if (added) continue;
    Number& value = at->second.number;
    if (path.add == Add::sum)
      value = value + reading->value;
    else if (path.add == Add::last || value < reading->value)
      value = reading->value;
  }
}

void GraphiteSeconds::close(Open& open, std::string& lines) {
  std::vector<const std::pair<const std::string, Value>*> sorted;
  for (const auto& item : open.values) {
    if (!open.partial || item.second.add != Add::sum) sorted.push_back(&item);
  }
  std::sort(sorted.begin(), sorted.end(), [](const auto* a, const auto* b) { return a->first < b->first; });
  const std::string end = ' ' + std::to_string(open.second) + '\n';
  for (const auto* item : sorted) lines += item->first + ' ' + to_text(item->second.number) + end;
  open.values.clear();
  open.closed = std::max(open.closed, open.second);
}

void GraphiteSeconds::take(std::span<const model::Event> events, std::int64_t now_ns, std::string& lines) {
  for (const model::Event& event : events) {
    if (!event.shape || !event.origin) continue;
    const std::string key = event.origin->host + '\0' + std::string(model::event_kind_name(event.kind));
    Open& open = open_[key];
    before_.try_emplace(key, open);
    const std::int64_t second = second_of(event.wall_ns);
    if (second != open.second) {
      if (open.second != INT64_MIN) close(open, lines);
      // Only ticks tell what they cover.
      open.partial = open.closed == INT64_MIN && event.kind == model::EventKind::sample &&
                     event.wall_ns - second * kSecond > event.dt_ns;
      open.second = second;
    }
    if (second <= open.closed) open.partial = true;
    open.came_ns = now_ns;
    add(open, event, *paths_of(event));
  }
}

void GraphiteSeconds::roll_back() {
  for (auto& [key, open] : before_) open_[key] = std::move(open);
  before_.clear();
}

void GraphiteSeconds::close_older(std::int64_t now_ns, std::string& lines) {
  for (auto& [key, open] : open_) {
    if (!open.values.empty() && open.came_ns <= now_ns) close(open, lines);
  }
}

}  // namespace mikroscope::sinks
