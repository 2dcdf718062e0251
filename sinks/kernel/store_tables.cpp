#include "sinks/kernel/store_tables.h"

#include "proc/reader/derived.h"
#include "proc/tables.h"
#include "sinks/derive/derive.h"
#include "sinks/pipeline/loss.h"

namespace mikroscope::sinks {
namespace {

using model::Field;
using model::Kind;
using model::Measurement;
using model::MeasurementPtr;
using model::Type;
using proc::Unit;

struct TableNote {
  std::string_view table;
  bool sparse = false;
  bool dt = false;  // the field dt_ns: what the differences of this row cover
  std::string_view long_measurement = {}, long_key = {}, long_value = {}, prefix = {};
};
constexpr TableNote kTableNotes[] = {
    {"cpu", false, true},
    {"softirq", true},
    {"irq_cpu", true},
    {"buddy", false, false, "buddy", "block_order", "free_blocks", "order_"},
};

// Names that SQL has for other things.
struct SqlName {
  std::string_view table;
  std::string_view column;
  std::string_view sql;
};
constexpr SqlName kSqlNames[] = {
    {"cpu", "user", "user_ticks"},       {"cpu", "nice", "nice_ticks"},
    {"cpu", "system", "system_ticks"},   {"cpu", "idle", "idle_ticks"},
    {"cpu", "iowait", "iowait_ticks"},   {"cpu", "irq", "irq_ticks"},
    {"cpu", "softirq", "softirq_ticks"}, {"cpu", "steal", "steal_ticks"},
    {"cpu", "guest", "guest_ticks"},     {"cpu", "guest_nice", "guest_nice_ticks"},
    {"cpu_total", "user", "user_ticks"}, {"slab", "active", "active_objs"},
    {"slab", "limit", "limit_objs"},
};

const TableNote* note_of(std::string_view table) {
  for (const TableNote& note : kTableNotes) {
    if (note.table == table) return &note;
  }
  return nullptr;
}

std::string sql_name(std::string_view table, std::string_view column) {
  for (const SqlName& name : kSqlNames) {
    if (name.table == table && name.column == column) return std::string(name.sql);
  }
  return {};
}

Field integer(std::string name, std::string help, Unit unit = Unit::none, std::string sql = {}) {
  return {std::move(name), Kind::level, Type::integer, unit, 0, false, std::move(help), std::move(sql)};
}
Field text(std::string name, std::string help) {
  return {std::move(name), Kind::level, Type::text, Unit::none, 0, false, std::move(help), {}};
}
Field real(std::string name, std::string help, Unit unit = Unit::none) {
  return {std::move(name), Kind::level, Type::real, unit, 0, false, std::move(help), {}};
}

MeasurementPtr shared(Measurement m) {
  return std::make_shared<const Measurement>(std::move(m));
}

}  // namespace

MeasurementPtr store_measurement(const proc::Schema& schema) {
  Measurement m;
  m.name = schema.table;
  m.wire_table = schema.table;
  m.help = schema.help;
  for (const proc::KeyColumn& key : schema.keys)
    m.keys.push_back({std::string(key.name), key.text, key.label, std::string(key.help)});
  for (const proc::Column& column : schema.columns) {
    m.fields.push_back({std::string(column.name),
                        column.kind == proc::Kind::counter ? Kind::delta : Kind::level,
                        column.decimals > 0 ? Type::decimal : Type::integer, column.unit, column.decimals,
                        false, std::string(column.help), sql_name(schema.table, column.name)});
  }
  for (const proc::Derived& derived : proc::all_derived()) {
    if (derived.table != schema.table) continue;
    // Differences of whole kilobytes stay whole numbers.
    const Type type = derived.unit == Unit::ratio ? Type::real : Type::integer;
    m.fields.push_back(
        {std::string(derived.name), Kind::level, type, derived.unit, 0, true, std::string(derived.help), {}});
  }
  if (const TableNote* const note = note_of(schema.table)) {
    m.sparse = note->sparse;
    if (note->dt) {
      Field dt = integer("dt_ns", "what the differences of this row cover", Unit::nanoseconds);
      dt.derived = true;
      m.fields.push_back(std::move(dt));
    }
    if (!note->long_measurement.empty()) {
      m.long_form = {std::string(note->long_measurement), std::string(note->long_key),
                     std::string(note->long_value), std::string(note->prefix)};
    }
  }
  return shared(std::move(m));
}

model::MeasurementPtr summed_measurement(std::string_view table) {
  static const MeasurementPtr m =
      shared({"irq",
              {{"irq", true, false, "as the kernel names it: a number, or IPI0, NMI, LOC, ..."},
               {"name", true, true, "the devices that use it, or what the kernel says of it"}},
              {{"count",
                Kind::delta,
                Type::integer,
                Unit::events,
                0,
                true,
                "interrupts serviced, on all cores",
                {}}},
              "interrupts of each line",
              false,
              true});
  return table == "irq_cpu" ? m : nullptr;
}

const MeasurementPtr& sample_measurement() {
  static const MeasurementPtr m = [] {
    Measurement s{"sample",
                  {},
                  {integer("seq", "number of the sample since the agent's start"),
                   integer("dt_ns", "CLOCK_MONOTONIC since the sample before", Unit::nanoseconds),
                   integer("mono_ns", "CLOCK_BOOTTIME of the sample: it never steps", Unit::nanoseconds)},
                  "one row for every sample"};
    for (Field& field : s.fields) field.derived = true;
    return shared(std::move(s));
  }();
  return m;
}

const MeasurementPtr& restart_measurement() {
  static const MeasurementPtr m = shared(
      {"restart",
       {},
       {text("instance", "the agent's new instance"),
        text("previous", "the instance before"),
        {"reboot", Kind::level, Type::boolean, Unit::none, 0, false, "the kernel's boot id changed too", {}},
        text("message", "the same in words")},
       "the agent began again: sample numbers start over",
       true});
  return m;
}

const MeasurementPtr& trigger_measurement() {
  static const MeasurementPtr m =
      shared({"trigger",
              {{"cause", true, false, "the condition as configured"}},
              {integer("id", "number of the trigger since the agent's start"),
               integer("seq", "the sample that fired"), real("value", "what was seen"),
               real("threshold", "what it was compared with"), text("field", "where: cpu[2].busy_ratio"),
               text("message", "the same in words")},
              "triggers of the agent that fired",
              true});
  return m;
}

const MeasurementPtr& kmsg_measurement() {
  static const MeasurementPtr m =
      shared({"kmsg",
              {{"level", true, false, "emerg ... debug"},
               {"port", true, false,
                "the interface that is named, as the router calls it where that is known; else empty"},
               {"kind", true, false, "link-up, link-down, stp-..., own-address, other; empty without a port"},
               {"label", true, true, "the port's comment"},
               {"role", true, true, "the interface lists that the port is in"}},
              {integer("count", "records", Unit::events)},
              "records of the kernel log, counted"});
  return m;
}

const MeasurementPtr& log_measurement() {
  static const MeasurementPtr m =
      shared({"event",
              {{"kernel_seq", false, false, "the kernel's number of the record"}},
              {integer("level", "0 emerg ... 7 debug"), integer("facility", "syslog facility; 0: the kernel"),
               integer("time_usec", "the kernel's clock, from boot", Unit::microseconds),
               text("message", "the record"), text("port", "the interface that is named"),
               text("kind", "link-up, link-down, stp-..., own-address, other")},
              "the kernel log",
              true});
  return m;
}

std::vector<MeasurementPtr> kernel_measurements() {
  std::vector<MeasurementPtr> all;
  for (const proc::TableDef& table : proc::all_tables()) {
    all.push_back(store_measurement(*table.schema));
    if (MeasurementPtr sums = summed_measurement(table.schema->table)) all.push_back(std::move(sums));
  }
  for (const MeasurementPtr& m :
       {sample_measurement(), Derive::measurement(), kmsg_measurement(), log_measurement(),
        trigger_measurement(), gap_measurement(), restart_measurement()})
    all.push_back(m);
  return all;
}

}  // namespace mikroscope::sinks
