#include "sinks/kernel/kernel_events.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cmath>
#include <map>

#include "model/event_builder.h"
#include "proc/reader/derived.h"
#include "sinks/kernel/store_tables.h"
#include "sinks/pipeline/loss.h"

namespace mikroscope::sinks {
namespace {

using model::Event;
using model::EventBuilder;
using model::EventKind;
using model::MeasurementPtr;
using model::ShapeTable;

constexpr std::array<std::string_view, 8> kLevels = {"emerg", "alert",  "crit", "err",
                                                     "warn",  "notice", "info", "debug"};

std::string_view level_name(int level) {
  return level >= 0 && level < 8 ? kLevels[static_cast<std::size_t>(level)] : std::string_view("unknown");
}

std::string key_text(const proc::Layout& layout, const proc::KeyColumn& key, proc::KeyPart part) {
  return key.text ? std::string((*layout.texts)[part]) : std::to_string(part);
}

// Where a table of the agent goes in the event.
struct TableMap {
  std::uint32_t from = 0;                     // table of the layout
  std::uint32_t rows = 0;                     // of it that the shape has
  std::uint32_t columns = 0;                  // copied cell by cell
  std::size_t to = 0;                         // table of the shape
  std::vector<const proc::Derived*> derived;  // behind them
  int dt_column = -1;                         // of the shape's table
  std::size_t sum_to = 0;                     // the shape's table that adds up its rows; 0: none
  std::vector<std::uint32_t> sum_row;         // per row
};

}  // namespace

struct KernelEvents::Impl {
  explicit Impl(std::string h) : host(std::move(h)) { set_origin({}, {}); }

  std::string host;
  model::OriginPtr origin;
  std::function<PortLabel(std::string_view)> labels;
  Derive derive;
  std::uint64_t malformed = 0;
  std::vector<proc::LogRecord> records;

  // The shape of the samples so far, and what it was made of.
  const proc::Layout* layout = nullptr;
  std::vector<std::uint32_t> known_rows;
  std::vector<const proc::Schema*> known_schemas;
  std::map<const proc::Schema*, MeasurementPtr> measurements;
  model::ShapePtr shape;
  std::vector<TableMap> maps;
  std::size_t sample_table = 0;

  void set_origin(const std::string& instance, const std::string& boot_id) {
    origin = std::make_shared<const model::Origin>(model::Origin{host, instance, boot_id});
  }

  bool same_rows(const proc::Frame& frame) const {
    if (frame.layout != layout || frame.rows.size() != known_rows.size()) return false;
    for (std::size_t i = 0; i < known_rows.size(); ++i) {
      if (frame.rows[i] != known_rows[i] || frame.layout->tables[i].schema != known_schemas[i]) return false;
    }
    return true;
  }

  void learn(const proc::Frame& frame) {
    layout = frame.layout;
    known_rows.assign(frame.rows.begin(), frame.rows.end());
    known_schemas.clear();
    maps.clear();
    std::vector<ShapeTable> tables;
    for (std::uint32_t i = 0; i < known_rows.size(); ++i) {
      const proc::Table& table = layout->tables[i];
      known_schemas.push_back(table.schema);
      if (known_rows[i] == 0) continue;
      MeasurementPtr& measurement = measurements[table.schema];
      if (!measurement) measurement = store_measurement(*table.schema);
      TableMap map;
      map.from = i;
      map.rows = known_rows[i];
      map.columns = table.columns();
      map.to = tables.size();
      for (const proc::Derived& derived : proc::all_derived()) {
        if (derived.table == table.schema->table) map.derived.push_back(&derived);
      }
      map.dt_column = measurement->fields.size() > map.columns + map.derived.size()
                          ? static_cast<int>(measurement->fields.size()) - 1
                          : -1;
      ShapeTable to{measurement, {}, 0};
      for (std::uint32_t r = 0; r < map.rows; ++r) {
        model::Row row;
        for (std::size_t k = 0; k < table.schema->keys.size(); ++k)
          row.keys.push_back(key_text(*layout, table.schema->keys[k], table.keys[r].part[k]));
        to.rows.push_back(std::move(row));
      }
      tables.push_back(std::move(to));
      if (const MeasurementPtr sums = summed_measurement(table.schema->table)) add_sums(map, sums, tables);
      maps.push_back(std::move(map));
    }
    sample_table = tables.size();
    tables.push_back({sample_measurement(), {{}}, 0});
    tables.push_back({Derive::measurement(), {{}}, 0});
    shape = std::make_shared<const model::Shape>(std::move(tables));
  }

  // Rows that differ in the last keys only become one.
  static void add_sums(TableMap& map, const MeasurementPtr& measurement, std::vector<ShapeTable>& tables) {
    std::map<std::vector<std::string>, std::uint32_t> index;
    ShapeTable sums{measurement, {}, 0};
    const auto keys_kept = static_cast<std::ptrdiff_t>(measurement->keys.size());
    for (const model::Row& row : tables[map.to].rows) {
      std::vector<std::string> keys(row.keys.begin(), row.keys.begin() + keys_kept);
      const auto [at, added] = index.try_emplace(keys, static_cast<std::uint32_t>(sums.rows.size()));
      if (added) sums.rows.push_back({std::move(keys)});
      map.sum_row.push_back(at->second);
    }
    map.sum_to = tables.size();
    tables.push_back(std::move(sums));
  }

  void copy_table(const proc::Frame& frame, const TableMap& map, Event& event) const {
    const proc::Table& from = frame.layout->tables[map.from];
    const ShapeTable& to = shape->tables()[map.to];
    const bool totals = !event.totals.empty();
    for (std::uint32_t r = 0; r < map.rows; ++r) {
      const std::uint32_t a = from.slot(r, 0);
      const std::uint32_t b = to.slot(r, 0);
      bool any = false;
      for (std::uint32_t c = 0; c < map.columns; ++c) {
        if (frame.present[a + c] == 0) continue;
        any = true;
        event.present[b + c] = 1;
        event.values[b + c] = frame.values[a + c];
        if (totals) event.totals[b + c] = frame.totals[a + c];
      }
      if (!any) continue;
      for (std::size_t d = 0; d < map.derived.size(); ++d) {
        const std::optional<double> value = map.derived[d]->compute(frame, map.from, r);
        if (!value) continue;
        const std::uint32_t slot = b + map.columns + static_cast<std::uint32_t>(d);
        const bool real = to.measurement->fields[map.columns + d].type == model::Type::real;
        event.present[slot] = 1;
        event.values[slot] = real ? std::bit_cast<std::int64_t>(*value) : std::llround(*value);
      }
      if (map.dt_column >= 0) {
        event.present[b + static_cast<std::uint32_t>(map.dt_column)] = 1;
        event.values[b + static_cast<std::uint32_t>(map.dt_column)] = frame.intervals_ns[map.from];
      }
      if (map.sum_to != 0 && event.present[b] != 0) {
        const std::uint32_t sum = shape->tables()[map.sum_to].slot(map.sum_row[r], 0);
        event.present[sum] = 1;
        event.values[sum] += event.values[b];
        if (totals) event.totals[sum] += event.totals[b];
      }
    }
  }

  void frame(const proc::Frame& frame, std::vector<Event>& out) {
    if (!same_rows(frame)) learn(frame);
    Event event;
    event.kind = EventKind::sample;
    event.origin = origin;
    event.wall_ns = frame.head.wall_ns;
    event.boot_ns = frame.head.boot_ns;
    event.dt_ns = frame.head.dt_ns;
    event.seq = frame.head.seq;
    event.shape = shape;
    event.values.assign(shape->slots(), 0);
    event.present.assign(shape->slots(), 0);
    if (frame.totals != nullptr) event.totals.assign(shape->slots(), 0);
    bool other_interval = false;
    for (const TableMap& map : maps) {
      copy_table(frame, map, event);
      other_interval = other_interval || frame.intervals_ns[map.from] != frame.head.dt_ns;
    }
    if (other_interval) {
      event.intervals_ns.assign(shape->tables().size(), frame.head.dt_ns);
      for (const TableMap& map : maps) {
        event.intervals_ns[map.to] = frame.intervals_ns[map.from];
        if (map.sum_to != 0) event.intervals_ns[map.sum_to] = frame.intervals_ns[map.from];
      }
    }
    for (const proc::OddCell& odd : frame.odd) {
      for (const TableMap& map : maps) {
        if (map.from != odd.table || odd.row >= map.rows || odd.column >= map.columns) continue;
        event.odd.push_back({shape->tables()[map.to].slot(odd.row, odd.column), odd.kind});
      }
    }
    const ShapeTable& sample = shape->tables()[sample_table];
    const std::int64_t numbers[] = {static_cast<std::int64_t>(frame.head.seq), frame.head.dt_ns,
                                    frame.head.boot_ns};
    for (std::uint32_t c = 0; c < 3; ++c) {
      // The first sample of an agent covers nothing.
      if (c == 1 && frame.head.dt_ns <= 0) continue;
      event.present[sample.slot(0, c)] = 1;
      event.values[sample.slot(0, c)] = numbers[c];
    }
    derive.fill(event);
    out.push_back(std::move(event));
    logs(frame.head, out);
  }

  void logs(const proc::TickHeader& head, std::vector<Event>& out) {
    if (records.empty()) return;
    EventBuilder builder(EventKind::log, origin, head.wall_ns);
    std::map<std::vector<std::string>, std::int64_t> counts;
    for (const proc::LogRecord& record : records) {
      PortLabel label = labels && !record.interface.empty() ? labels(record.interface) : PortLabel{};
      if (label.port.empty()) label.port = record.interface;
      ++counts[{std::string(level_name(record.level)), label.port, record.kind, label.label, label.role}];
      builder.row(log_measurement(), {std::to_string(record.seq)})
          .integer("level", record.level)
          .integer("facility", record.facility)
          .integer("time_usec", record.boot_ns / 1000)
          .text("message", record.message);
      if (!label.port.empty()) builder.text("port", label.port).text("kind", record.kind);
    }
    for (const auto& [keys, count] : counts) builder.row(kmsg_measurement(), keys).integer("count", count);
    builder.head().boot_ns = head.boot_ns;
    builder.head().seq = head.seq;
    out.push_back(builder.finish());
    records.clear();
  }

  void restart(const proc::Restart& restart, std::int64_t wall_ns, std::vector<Event>& out) {
    derive.forget();
    set_origin(restart.instance, restart.reboot ? std::string() : origin->boot_id);
    EventBuilder builder(EventKind::restart, origin, wall_ns);
    builder.row(restart_measurement())
        .text("instance", restart.instance)
        .text("previous", restart.previous_instance)
        .boolean("reboot", restart.reboot)
        .text("message",
              restart.reboot ? "the router rebooted, and the agent with it" : "the agent began again");
    out.push_back(builder.finish());
  }

  void trigger(const proc::Trigger& trigger, std::vector<Event>& out) const {
    EventBuilder builder(EventKind::trigger, origin, trigger.wall_ns);
    builder.row(trigger_measurement(), {trigger.cause})
        .integer("id", static_cast<std::int64_t>(trigger.id))
        .integer("seq", static_cast<std::int64_t>(trigger.seq))
        .real("value", trigger.value)
        .real("threshold", trigger.threshold)
        .text("field", trigger.field)
        .text("message", fmt::format("{}: {} was {}", trigger.cause, trigger.field, trigger.value));
    builder.head().seq = trigger.seq;
    out.push_back(builder.finish());
  }
};

KernelEvents::KernelEvents(std::string host) : impl_(std::make_unique<Impl>(std::move(host))) {}
KernelEvents::~KernelEvents() = default;

void KernelEvents::begin(const std::string& instance, const std::string& boot_id) {
  if (impl_->origin->instance != instance || impl_->origin->boot_id != boot_id)
    impl_->set_origin(instance, boot_id);
}

void KernelEvents::label_ports(std::function<PortLabel(std::string_view)> labels) {
  impl_->labels = std::move(labels);
}

void KernelEvents::take(const proc::Item& item, std::int64_t wall_now_ns, std::vector<Event>& out) {
  Impl& i = *impl_;
  std::visit(
      [&](const auto& it) {
        using T = std::decay_t<decltype(it)>;
        if constexpr (std::is_same_v<T, proc::Frame>) {
          i.frame(it, out);
        } else if constexpr (std::is_same_v<T, proc::LogRecord>) {
          i.records.push_back(it);
        } else if constexpr (std::is_same_v<T, proc::Gap>) {
          i.derive.forget();
          out.push_back(gap(it.from, it.to, "ring", wall_now_ns));
        } else if constexpr (std::is_same_v<T, proc::Restart>) {
          i.restart(it, wall_now_ns, out);
        } else if constexpr (std::is_same_v<T, proc::Trigger>) {
          i.trigger(it, out);
        } else if constexpr (std::is_same_v<T, proc::Malformed>) {
          ++i.malformed;
        }
      },
      item);
}

Event KernelEvents::gap(std::uint64_t from, std::uint64_t to, std::string_view reason,
                        std::int64_t wall_now_ns) const {
  return gap_event(impl_->origin, from, to, reason, wall_now_ns);
}

const model::OriginPtr& KernelEvents::origin() const {
  return impl_->origin;
}
std::uint64_t KernelEvents::malformed() const {
  return impl_->malformed;
}

}  // namespace mikroscope::sinks
