#include "sinks/stores/graphite_seconds.h"

#include <algorithm>
#include <cmath>

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
  auto& paths = paths_[{event.origin->host, event.shape->id()}];
  if (!paths) paths = make_paths(event);
  return paths;
}

std::shared_ptr<const GraphiteSeconds::Paths> GraphiteSeconds::make_paths(const model::Event& event) const {
  auto made = std::make_shared<Paths>();
  const auto& tables = event.shape->tables();
  for (std::size_t t = 0; t < tables.size(); ++t) {
    const model::Measurement& m = *tables[t].measurement;
    const std::string start = prefix_ + graphite_node(event.origin->host) + '.' + graphite_node(m.name);
    const std::vector<Metric> metrics = metrics_of(m, Naming::prometheus);
    const bool counted =
        std::any_of(m.keys.begin(), m.keys.end(), [](const model::Key& k) { return !k.text; });
    const bool rows = m.log && std::any_of(metrics.begin(), metrics.end(),
                                           [](const Metric& metric) { return metric.from == From::rows; });
    for (std::size_t row = 0; row < tables[t].rows.size(); ++row) {
      const auto& keys = tables[t].rows[row].keys;
      std::string path = start;
      for (std::size_t k = 0; k < m.keys.size(); ++k) {
        // Labels of the kernel's tables are names that stay; those of the router are comments that change.
        if (!m.keys[k].label || event.kind == model::EventKind::sample) path += '.' + graphite_node(keys[k]);
      }
      if (rows) made->push_back({path + ".count", t, row, tables[t].slot(row, 0), Add::sum, true, false, 1});
      if (m.log && counted) continue;  // a number for each record is no path
      for (std::size_t f = 0; f < m.fields.size(); ++f) {
        const model::Field& field = m.fields[f];
        if (field.type == model::Type::text || (rows && field.name == "count")) continue;
        const bool counts = field.kind == model::Kind::delta ||
                            (field.unit == proc::Unit::events &&
                             std::any_of(metrics.begin(), metrics.end(), [f](const Metric& metric) {
                               return metric.from == From::sum && metric.field == f;
                             }));
        Path of{path + '.' + graphite_node(field.name),
                t,
                row,
                tables[t].slot(row, f),
                counts ? Add::sum : Add::last,
                false,
                field.type == model::Type::real,
                1};
        if (field.type == model::Type::decimal) {
          for (int i = 0; i < field.decimals; ++i) of.over *= 10;
        }
        made->push_back(of);
        if (field.unit != proc::Unit::ratio || counts) continue;
        of.text += ".max";
        of.add = Add::greatest;
        made->push_back(of);
      }
    }
  }
  std::sort(made->begin(), made->end(), [](const Path& a, const Path& b) { return a.text < b.text; });
  return made;
}

void GraphiteSeconds::Value::take(Number v) {
  if (!known)
    number = v;
  else if (add == Add::sum)
    number = number + v;
  else if (add == Add::last || number < v)
    number = v;
  known = true;
}

// Values wait by their names when a shape ends within a second.
void GraphiteSeconds::set_aside(Open& open) {
  for (std::size_t i = 0; i < open.values.size(); ++i) {
    if (!open.values[i].known) continue;
    Value& value = open.earlier[(*open.paths)[i].text];
    value.add = open.values[i].add;
    value.take(open.values[i].number);
  }
  open.values.clear();
}

void GraphiteSeconds::add(Open& open, const model::Event& event, std::shared_ptr<const Paths> paths) {
  if (open.paths != paths) {
    set_aside(open);
    open.paths = std::move(paths);
  }
  if (open.values.empty()) {
    for (const Path& path : *open.paths) open.values.push_back({false, path.add, {}});
  }
  const auto& tables = event.shape->tables();
  for (std::size_t i = 0; i < open.values.size(); ++i) {
    const Path& path = (*open.paths)[i];
    const model::ShapeTable& table = tables[path.table];
    if (path.rows) {
      bool any = false;
      for (std::uint32_t c = 0; c < table.columns(); ++c) any = any || event.has(path.slot + c);
      if (any && !event.repeat) open.values[i].take(Number::of(std::int64_t{1}));
      continue;
    }
    if (!event.has(path.slot) || (event.repeat && path.add == Add::sum)) continue;
    if (table.measurement->sparse && all_zero(event, table, path.row)) continue;
    if (path.real) {
      const double value = event.real(path.slot);
      if (std::isfinite(value)) open.values[i].take(Number::of(value));
    } else if (path.over != 1) {
      open.values[i].take(
          Number::of(static_cast<double>(event.integer(path.slot)) / static_cast<double>(path.over)));
    } else {
      open.values[i].take(Number::of(event.integer(path.slot)));
    }
  }
}

void GraphiteSeconds::close(Open& open, std::string& lines) {
  const std::string end = ' ' + std::to_string(open.second) + '\n';
  const auto line = [&](const std::string& path, const Value& value) {
    if (!value.known || (open.partial && value.add == Add::sum)) return;
    lines += path + ' ' + to_text(value.number) + end;
  };
  if (!open.earlier.empty()) {
    set_aside(open);
    for (const auto& [path, value] : open.earlier) line(path, value);
    open.earlier.clear();
  }
  // Two rows may have one path, where their names differ in what Graphite does not take: one line then.
  for (std::size_t i = 0; i < open.values.size(); ++i) {
    Value value = open.values[i];
    while (i + 1 < open.values.size() && (*open.paths)[i].text == (*open.paths)[i + 1].text) {
      ++i;
      if (open.values[i].known) value.take(open.values[i].number);
    }
    line((*open.paths)[i].text, value);
  }
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
    add(open, event, paths_of(event));
  }
}

void GraphiteSeconds::roll_back() {
  for (auto& [key, open] : before_) open_[key] = std::move(open);
  before_.clear();
}

void GraphiteSeconds::close_older(std::int64_t now_ns, std::string& lines) {
  for (auto& [key, open] : open_) {
    if ((!open.values.empty() || !open.earlier.empty()) && open.came_ns <= now_ns) close(open, lines);
  }
}

}  // namespace mikroscope::sinks
