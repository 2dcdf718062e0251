#include "agent/triggers.h"

#include <cstring>

#include "agent/config.h"
#include "base/text.h"

namespace mikroscope::agent {
namespace {

constexpr std::int32_t scaled(std::int32_t n) {
  return n * static_cast<std::int32_t>(kThresholdScale);
}

constexpr ConditionDef kConditions[] = {
    {"busy", Condition::busy, ">=", "share of one core", 500, scaled(1), false,
     "a core was busy for that share of the tick"},
    {"slip", Condition::slip, ">=", "periods", 11000, scaled(100), false, "the tick took that many periods"},
    {"memfall", Condition::memfall, ">=", "MiB", scaled(1), scaled(100000), true,
     "available memory fell by that much in one tick"},
    {"kmsg", Condition::kmsg, "<=", "log level", 0, scaled(7), true,
     "the kernel logged a record of that level or a graver one"},
    {"softnet-drop", Condition::softnet_drop, "", "", 0, 0, false, "a receive queue dropped packets"},
    {"squeeze", Condition::squeeze, "", "", 0, 0, false, "a receive queue ran out of its budget"},
    {"oom", Condition::oom, "", "", 0, 0, false, "the kernel killed a process for memory"},
    {"reset", Condition::reset, "", "", 0, 0, false, "a counter started again"},
    {"irq-err", Condition::irq_err, "", "", 0, 0, false, "a spurious or failed interrupt was counted"},
    {"flash-bad", Condition::flash_bad, "", "", 0, 0, false, "a flash device has more bad blocks"},
};

void complain(std::string_view item, base::Writer& error) {
  error.print("trigger %j: ", item);
}

void list_conditions(base::Writer& error) {
  bool first = true;
  for (const ConditionDef& def : kConditions) {
    error.put(first ? "" : ", ");
    first = false;
    error.put(def.name);
    error.put(def.comparison);
    if (!def.comparison.empty()) error.put("N");
  }
}

bool parse_threshold(const ConditionDef& def, std::string_view text, std::int64_t& out) {
  base::Scanner s(text);
  if (!s.decimal(kThresholdDecimals, out) || !s.done()) return false;
  return out >= def.low && out <= def.high && (!def.whole || out % kThresholdScale == 0);
}

bool parse_one(std::string_view item, TriggerSet& set, base::Writer& error) {
  const std::size_t end = item.find_first_of("<>=");
  const std::string_view name = base::trim(item.substr(0, end == std::string_view::npos ? item.size() : end));
  const ConditionDef* def = nullptr;
  for (const ConditionDef& d : kConditions) {
    if (d.name == name) def = &d;
  }
  if (def == nullptr) {
    complain(item, error);
    error.put("unknown condition (");
    list_conditions(error);
    error.put(")");
    return false;
  }
  Trigger trigger;
  trigger.def = def;
  trigger.text = item;
  base::Scanner rest(end == std::string_view::npos ? std::string_view() : item.substr(end));
  if (def->comparison.empty()) {
    if (!rest.done()) {
      complain(item, error);
      error.put("takes no threshold");
      return false;
    }
  } else if (!rest.consume(def->comparison) ||
             !parse_threshold(*def, base::trim(rest.rest()), trigger.threshold)) {
    complain(item, error);
    error.print("want %s%sN with a %snumber in ", def->name, def->comparison,
                def->whole ? std::string_view("whole ") : std::string_view());
    put_scaled(def->low, error);
    error.put("..");
    put_scaled(def->high, error);
    return false;
  }
  if (set.count == kMaxTriggers) {
    complain(item, error);
    error.put("at most 16 conditions");
    return false;
  }
  set.items[set.count++] = trigger;
  return true;
}

class FieldWriter {
 public:
  explicit FieldWriter(Cause& cause) : cause_(cause), out_(cause.field, sizeof cause.field) {}
  ~FieldWriter() { cause_.field_size = static_cast<std::uint8_t>(out_.size()); }
  FieldWriter(const FieldWriter&) = delete;
  FieldWriter& operator=(const FieldWriter&) = delete;
  // table[key,key].column, the keys without labels.
  void cell(const proc::Layout& layout, std::uint32_t table, std::uint32_t row, std::string_view column) {
    const proc::Table& t = layout.tables[table];
    out_.put(t.schema->table);
    bool any = false;
    for (std::size_t k = 0; k < t.schema->keys.size(); ++k) {
      if (t.schema->keys[k].label) continue;
      out_.put(any ? ',' : '[');
      any = true;
      if (t.schema->keys[k].text) {
        out_.put((*layout.texts)[t.keys[row].part[k]].substr(0, 32));
      } else {
        out_.i64(t.keys[row].part[k]);
      }
    }
    if (any) out_.put(']');
    out_.put('.');
    out_.put(column);
  }
  void text(std::string_view text) { out_.put(text); }

 private:
  Cause& cause_;
  base::Writer out_;
};

std::int64_t to_scaled(std::uint64_t value) {
  constexpr std::uint64_t kMost = INT64_MAX / kThresholdScale;
  return static_cast<std::int64_t>(value < kMost ? value : kMost) * kThresholdScale;
}

}  // namespace

void put_scaled(std::int64_t value, base::Writer& out) {
  std::int64_t whole = value;
  int decimals = kThresholdDecimals;
  while (decimals != 0 && whole % 10 == 0) {
    whole /= 10;
    --decimals;
  }
  out.fixed(whole, decimals);
}

void write_trigger(std::uint64_t id, const Cause& cause, std::string_view refused, base::Writer& out) {
  out.print("{\"trigger\":{\"id\":%u,\"cause\":%j", id,
            cause.condition.empty() ? std::string_view("manual") : cause.condition);
  if (!cause.field_text().empty()) out.print(",\"field\":%j", cause.field_text());
  out.put(",\"value\":");
  put_scaled(cause.value, out);
  out.put(",\"threshold\":");
  put_scaled(cause.threshold, out);
  out.print(",\"seq\":%u,\"wall_ns\":%d", cause.seq, cause.wall_ns);
  if (!refused.empty()) out.print(",\"refused\":%j", refused);
  out.put("}}");
}

std::span<const ConditionDef> all_conditions() {
  return kConditions;
}

bool TriggerSet::has(Condition condition) const {
  for (const Trigger& t : all()) {
    if (t.def->condition == condition) return true;
  }
  return false;
}

bool parse_triggers(std::string_view list, TriggerSet& out, base::Writer& error) {
  out = {};
  if (base::trim(list) == "none") return true;
  std::string_view item;
  while (next_item(list, item)) {
    if (!parse_one(item, out, error)) return false;
  }
  return true;
}

TriggerEye::Column TriggerEye::find(const proc::Layout& layout, std::string_view table,
                                    std::string_view column) {
  const int t = layout.find(table);
  const int c = t < 0 ? -1 : layout.tables[t].schema->column(column);
  if (c < 0) return {};
  return {static_cast<std::uint32_t>(t), static_cast<std::uint32_t>(c), true};
}

TriggerEye::TriggerEye(const proc::Layout& layout)
    : available_(find(layout, "mem", "available_kb")),
      dropped_(find(layout, "softnet", "dropped")),
      squeeze_(find(layout, "softnet", "time_squeeze")),
      oom_(find(layout, "vm", "oom_kill")),
      irq_err_(find(layout, "stat", "irq_err")),
      bad_blocks_(find(layout, "flash", "bad_blocks")) {
  const char* modes = kBusyModes;
  for (Column& mode : busy_) mode = find(layout, "cpu", base::next_name(modes));
}

bool TriggerEye::busy(const Trigger& trigger, const proc::FrameView& frame, Cause& out) const {
  if (!busy_[0]) return false;
  const std::uint32_t table = busy_[0].table;
  if (!frame.has_table(table)) return false;
  const std::int64_t interval = frame.interval_ns(table);
  if (interval <= 0) return false;
  for (std::uint32_t row = 0; row < frame.rows[table]; ++row) {
    std::uint64_t ticks = 0;
    bool any = false;
    for (const Column& mode : busy_) {
      if (!mode) continue;
      const proc::Delta d = frame.delta(table, row, mode.column);
      if (!d.has_value()) continue;
      any = true;
      ticks += d.value;
    }
    if (!any || ticks > 1000000) continue;
    // ticks / (interval * USER_HZ) >= threshold, without a division: an interval of 100.3 ms can hold 11
    // ticks.
    constexpr std::uint64_t kUserHz = 100;
    const std::uint64_t scaled_busy =
        ticks * (1000000000 / kUserHz) * static_cast<std::uint64_t>(kThresholdScale);
    if (scaled_busy / static_cast<std::uint64_t>(interval) < static_cast<std::uint64_t>(trigger.threshold))
      continue;
    const std::uint64_t ratio = scaled_busy / static_cast<std::uint64_t>(interval);
    out.value = ratio < static_cast<std::uint64_t>(kThresholdScale) ? static_cast<std::int64_t>(ratio)
                                                                    : kThresholdScale;
    FieldWriter(out).cell(*frame.layout, table, row, "busy_ratio");
    return true;
  }
  return false;
}

bool TriggerEye::counted(const Column& where, const proc::FrameView& frame, Cause& out) const {
  if (!where) return false;
  const std::uint32_t table = where.table;
  const std::uint32_t column = where.column;
  if (!frame.has_table(table)) return false;
  const proc::Column& c = frame.layout->tables[table].schema->columns[column];
  for (std::uint32_t row = 0; row < frame.rows[table]; ++row) {
    std::uint64_t grown = 0;
    if (c.kind == proc::Kind::counter) {
      const proc::Delta d = frame.delta(table, row, column);
      if (d.has_value()) grown = d.value;
    } else {
      const std::uint32_t slot = frame.layout->tables[table].slot(row, column);
      if (frame.has(table, slot) && frame.live_before[slot] != 0 && frame.now[slot] > frame.before[slot]) {
        grown = frame.now[slot] - frame.before[slot];
      }
    }
    if (grown == 0) continue;
    out.value = to_scaled(grown);
    FieldWriter(out).cell(*frame.layout, table, row, c.name);
    return true;
  }
  return false;
}

bool TriggerEye::irq_error(const proc::FrameView& frame, Cause& out) const {
  return counted(irq_err_, frame, out);
}

bool TriggerEye::any_reset(const proc::FrameView& frame, Cause& out) {
  for (std::uint32_t i = 0; i < frame.layout->table_count; ++i) {
    if (!frame.has_table(i)) continue;
    const proc::Table& t = frame.layout->tables[i];
    const std::uint32_t columns = t.columns();
    std::uint32_t slot = t.slot0;
    for (std::uint32_t row = 0; row < frame.rows[i]; ++row) {
      for (std::uint32_t c = 0; c < columns; ++c, ++slot) {
        if (frame.now[slot] >= frame.before[slot] || t.schema->columns[c].kind != proc::Kind::counter)
          continue;
        if (frame.delta(i, row, c).kind != proc::DeltaKind::reset) continue;
        out.value = scaled(1);
        FieldWriter(out).cell(*frame.layout, i, row, t.schema->columns[c].name);
        return true;
      }
    }
  }
  return false;
}

bool TriggerEye::holds(const Trigger& trigger, const proc::FrameView& frame, const TickFacts& facts,
                       Cause& out) const {
  out = Cause{};
  out.condition = trigger.text;
  out.threshold = trigger.threshold;
  switch (trigger.def->condition) {
    case Condition::busy:
      return busy(trigger, frame, out);
    case Condition::slip: {
      if (facts.period_ns <= 0 || frame.head.dt_ns < facts.period_ns) return false;
      // In microseconds, so that a dt of hours times the scale stays within 64 bits.
      const std::int64_t periods = frame.head.dt_ns / 1000 * kThresholdScale / (facts.period_ns / 1000);
      if (periods < trigger.threshold) return false;
      out.value = periods;
      FieldWriter(out).text("dt_ns/period");
      return true;
    }
    case Condition::memfall: {
      if (!available_) return false;
      const std::uint32_t table = available_.table;
      const std::uint32_t slot = frame.layout->tables[table].slot(0, available_.column);
      if (!frame.has(table, slot) || frame.live_before[slot] == 0 || frame.now[slot] >= frame.before[slot])
        return false;
      constexpr std::uint64_t kKibPerMib = 1024;
      const std::uint64_t fall_kib = frame.before[slot] - frame.now[slot];
      const std::int64_t fall = to_scaled(fall_kib / kKibPerMib);
      if (fall < trigger.threshold) return false;
      out.value = fall;
      FieldWriter(out).text("mem.available_kb fall (MiB)");
      return true;
    }
    case Condition::kmsg:
      if (facts.least_log_level > 7 || scaled(facts.least_log_level) > trigger.threshold) return false;
      out.value = scaled(facts.least_log_level);
      FieldWriter(out).text("log.level");
      return true;
    case Condition::softnet_drop:
      return counted(dropped_, frame, out);
    case Condition::squeeze:
      return counted(squeeze_, frame, out);
    case Condition::oom:
      return counted(oom_, frame, out);
    case Condition::reset:
      return any_reset(frame, out);
    case Condition::irq_err:
      return irq_error(frame, out);
    case Condition::flash_bad:
      return counted(bad_blocks_, frame, out);
  }
  return false;
}

}  // namespace mikroscope::agent
