// Small events for tests of metric stores.
#pragma once

#include <bit>
#include <memory>
#include <string>
#include <vector>

#include "model/event_builder.h"
#include "sinks/kernel/store_tables.h"

namespace mikroscope::sinks::test {

// What names and comments may be.
inline const std::vector<std::string>& hostile_names() {
  static const std::vector<std::string> names = {
      "C:\\", R"(a\,b)", "a=b c,d", "", "a\nb", "\"q\"", "\xF0\x9F\x98\x80", "\xE4", std::string("a\0b", 3)};
  return names;
}

inline model::MeasurementPtr kernel(const std::string& name) {
  for (const model::MeasurementPtr& m : kernel_measurements()) {
    if (m->name == name) return m;
  }
  return nullptr;
}

inline model::MeasurementPtr shared(model::Measurement m) {
  return std::make_shared<const model::Measurement>(std::move(m));
}

// A table that nothing knows: one text key, one field of each kind and type.
inline const model::MeasurementPtr& novel() {
  using model::Kind;
  using model::Type;
  using proc::Unit;
  static const model::MeasurementPtr m =
      shared({"novel",
              {{"name", true, false, "what it is"}},
              {{"hits", Kind::delta, Type::integer, Unit::events, 0, false, "hits", {}},
               {"wait_ns", Kind::delta, Type::integer, Unit::nanoseconds, 0, false, "waited", {}},
               {"total", Kind::running, Type::integer, Unit::none, 0, false, "ever", {}},
               {"size_kb", Kind::level, Type::integer, Unit::kilobytes, 0, false, "how large", {}},
               {"load", Kind::level, Type::decimal, Unit::none, 2, false, "load", {}},
               {"share", Kind::level, Type::real, Unit::ratio, 0, false, "share", {}},
               {"on", Kind::level, Type::boolean, Unit::none, 0, false, "is on", {}},
               {"note", Kind::level, Type::text, Unit::none, 0, false, "a note", {}}},
              "a table of tomorrow"});
  return m;
}

constexpr std::int64_t kStart = 1'789'000'000'000'000'000;  // 2026-09-10 00:26:40 UTC
constexpr std::int64_t kBoot = 1000'000'000'000;            // the router ran for 1000 s then

struct CpuTick {
  std::int64_t user = 0;
  std::int64_t idle = 0;
  std::uint64_t user_total = 0;  // with `totals`
  std::uint64_t idle_total = 0;
  double ratio = 0;
  bool totals = true;
};

// The n-th sample of a router at 10 Hz: one row of `cpu`.
inline model::Event cpu_sample(const std::string& host, int n, const CpuTick& tick,
                               const std::string& cpu = "0") {
  const auto origin = std::make_shared<const model::Origin>(model::Origin{host, "one", "boot"});
  model::EventBuilder builder(model::EventKind::sample, origin, kStart + n * 100'000'000LL);
  builder.row(kernel("cpu"), {cpu})
      .integer("user", tick.user)
      .integer("idle", tick.idle)
      .real("busy_ratio", tick.ratio);
  builder.head().seq = static_cast<std::uint64_t>(n + 1);
  builder.head().boot_ns = kBoot + n * 100'000'000LL;
  builder.head().dt_ns = 100'000'000;
  model::Event event = builder.finish();
  if (tick.totals) {
    event.totals.assign(event.shape->slots(), 0);
    const model::ShapeTable& table = *event.shape->find("cpu");
    event.totals[table.slot(0, static_cast<std::size_t>(table.measurement->field("user")))] = tick.user_total;
    event.totals[table.slot(0, static_cast<std::size_t>(table.measurement->field("idle")))] = tick.idle_total;
  }
  return event;
}

// One event of `novel` with a row for each hostile name; the note is the name too.
inline model::Event hostile_event(const std::string& host, std::int64_t wall_ns = kStart) {
  const auto origin = std::make_shared<const model::Origin>(model::Origin{host, "one", "boot"});
  model::EventBuilder builder(model::EventKind::sample, origin, wall_ns);
  std::int64_t n = 0;
  for (const std::string& name : hostile_names()) {
    ++n;
    builder.row(novel(), {name})
        .integer("hits", n)
        .integer("wait_ns", 250'000'000)
        .integer("total", 100 + n)
        .integer("size_kb", 2)
        .real("share", 0.25)
        .boolean("on", true)
        .text("note", name);
  }
  builder.head().seq = 1;
  builder.head().boot_ns = kBoot;
  builder.head().dt_ns = 100'000'000;
  model::Event event = builder.finish();
  const model::ShapeTable& table = *event.shape->find("novel");
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    const std::uint32_t load = table.slot(row, static_cast<std::size_t>(table.measurement->field("load")));
    event.values[load] = 12;
    event.present[load] = 1;
  }
  return event;
}

// An event with a row of every measurement of the kernel tier, every cell told; text keys and texts are
// `name`.
inline model::Event full_event(const std::string& host, const std::string& name, std::int64_t wall_ns) {
  const auto origin = std::make_shared<const model::Origin>(model::Origin{host, "one", "boot"});
  std::vector<model::ShapeTable> tables;
  for (const model::MeasurementPtr& m : kernel_measurements()) {
    model::Row row;
    for (const model::Key& key : m->keys) row.keys.push_back(key.text ? name : "7");
    tables.push_back({m, {row}, 0});
  }
  model::Event event;
  event.origin = origin;
  event.wall_ns = wall_ns;
  event.boot_ns = kBoot;
  event.dt_ns = 100'000'000;
  event.seq = 42;
  event.shape = std::make_shared<const model::Shape>(std::move(tables));
  event.values.assign(event.shape->slots(), 0);
  event.present.assign(event.shape->slots(), 1);
  event.totals.assign(event.shape->slots(), 0);
  event.texts = {name};
  for (const model::ShapeTable& table : event.shape->tables()) {
    for (std::size_t f = 0; f < table.measurement->fields.size(); ++f) {
      const std::uint32_t slot = table.slot(0, f);
      const model::Type type = table.measurement->fields[f].type;
      if (type == model::Type::integer || type == model::Type::decimal)
        event.values[slot] = static_cast<std::int64_t>(slot) + 1;
      if (type == model::Type::real) event.values[slot] = std::bit_cast<std::int64_t>(0.25);
      if (type == model::Type::boolean) event.values[slot] = 1;
      event.totals[slot] = 1000 + slot;
    }
  }
  return event;
}

}  // namespace mikroscope::sinks::test
