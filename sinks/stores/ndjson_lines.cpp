#include "sinks/stores/ndjson_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "sinks/stores/json_text.h"
#include "sinks/stores/row_identity.h"

namespace mikroscope::sinks {
namespace {

using model::Event;
using model::EventKind;
using model::Measurement;
using model::ShapeTable;

void member(std::string& out, std::string_view name) {
  if (out.back() != '{') out += ',';
  append_json_string(out, name);
  out += ':';
}

void number(std::string& out, std::string_view name, std::int64_t value) {
  member(out, name);
  out += std::to_string(value);
}

bool any_cell(const Event& event, const ShapeTable& table, std::size_t row) {
  for (std::uint32_t f = 0; f < table.columns(); ++f) {
    if (!table.measurement->fields[f].derived && event.has(table.slot(row, f))) return true;
  }
  return false;
}

// {"<key>":…,"<field>":…}; fields for which `wanted` is false are left out. Nothing where no field is left.
template <class Wanted>
bool object(const Event& event, const ShapeTable& table, std::size_t row, bool labels, const Wanted& wanted,
            std::string& out) {
  const Measurement& m = *table.measurement;
  const std::size_t before = out.size();
  out += '{';
  for (std::size_t k = 0; k < m.keys.size(); ++k) {
    const std::string& text = table.rows[row].keys[k];
    if (m.keys[k].label && (!labels || text.empty())) continue;
    member(out, m.keys[k].name);
    append_json_key(out, m.keys[k], text);
  }
  bool any = false;
  std::string cell;
  for (std::uint32_t f = 0; f < table.columns(); ++f) {
    cell.clear();
    if (!wanted(m.fields[f]) || !append_json_cell(cell, event, m.fields[f], table.slot(row, f))) continue;
    member(out, m.fields[f].name);
    out += cell;
    any = true;
  }
  out += '}';
  if (!any) out.resize(before);
  return any;
}

template <class Wanted, class Stored>
void table_member(const Event& event, const ShapeTable& table, bool labels, const Wanted& wanted,
                  const Stored& stored, std::string_view name, std::string& out) {
  std::string rows;
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    if (!stored(row)) continue;
    const std::size_t before = rows.size();
    if (!rows.empty()) rows += ',';
    if (!object(event, table, row, labels, wanted, rows)) rows.resize(before);
  }
  if (rows.empty()) return;
  member(out, name);
  const bool keyed = !table.measurement->keys.empty();
  if (keyed) out += '[';
  out += rows;
  if (keyed) out += ']';
}

std::string_view odd_name(proc::DeltaKind kind) {
  switch (kind) {
    case proc::DeltaKind::wrap:
      return "wrap";
    case proc::DeltaKind::backward:
      return "backward";
    default:
      return "reset";
  }
}

void intervals(const Event& event, std::string& out) {
  std::string body = "{";
  for (std::size_t t = 0; t < event.shape->tables().size(); ++t) {
    const ShapeTable& table = event.shape->tables()[t];
    const auto& fields = table.measurement->fields;
    const bool counters = std::any_of(fields.begin(), fields.end(), [](const model::Field& f) {
      return f.kind == model::Kind::delta && !f.derived;
    });
    if (table.measurement->wire_table.empty() || !counters || event.interval_ns(t) == event.dt_ns) continue;
    bool any = false;
    for (std::size_t row = 0; row < table.rows.size() && !any; ++row) any = any_cell(event, table, row);
    if (any) number(body, table.measurement->wire_table, event.interval_ns(t));
  }
  if (body.size() == 1) return;
  member(out, "intervals");
  out += body + '}';
}

void odd(const Event& event, std::string& out) {
  std::string list;
  for (const model::OddCell& cell : event.odd) {
    for (const ShapeTable& table : event.shape->tables()) {
      const Measurement& m = *table.measurement;
      if (m.wire_table.empty() || table.columns() == 0 || cell.slot < table.slot0) continue;
      const std::uint32_t at = cell.slot - table.slot0;
      const std::size_t row = at / table.columns();
      if (row >= table.rows.size()) continue;
      if (!list.empty()) list += ',';
      list += '{';
      member(list, "table");
      append_json_string(list, m.wire_table);
      for (std::size_t k = 0; k < m.keys.size(); ++k) {
        if (m.keys[k].label) continue;
        member(list, m.keys[k].name);
        append_json_key(list, m.keys[k], table.rows[row].keys[k]);
      }
      member(list, "column");
      append_json_string(list, m.fields[at % table.columns()].name);
      member(list, "kind");
      append_json_string(list, odd_name(cell.kind));
      list += '}';
    }
  }
  if (list.empty()) return;
  member(out, "odd");
  out += '[' + list + ']';
}

void sample(const Event& event, std::string& out) {
  out += fmt::format("{{\"seq\":{},\"boot_ns\":{},\"wall_ns\":{},\"dt_ns\":{}", event.seq, event.boot_ns,
                     event.wall_ns, event.dt_ns);
  const auto from_wire = [](const model::Field& f) { return !f.derived; };
  for (const ShapeTable& table : event.shape->tables()) {
    if (table.measurement->wire_table.empty()) continue;
    table_member(
        event, table, false, from_wire, [&](std::size_t row) { return any_cell(event, table, row); },
        table.measurement->wire_table, out);
  }
  intervals(event, out);
  odd(event, out);
  out += "}\n";
}

// What the agent's line does not have; of an event that is no sample, all of it.
void others(const Event& event, std::string_view kind, std::string& out) {
  std::string body = "{";
  number(body, "wall_ns", event.wall_ns);
  if (event.boot_ns != 0) number(body, "boot_ns", event.boot_ns);
  if (event.seq != 0) number(body, "seq", static_cast<std::int64_t>(event.seq));
  if (event.repeat) {
    member(body, "repeat");
    body += "true";
  }
  const std::size_t head = body.size();
  for (const ShapeTable& table : event.shape->tables()) {
    const bool wire = event.kind == EventKind::sample && !table.measurement->wire_table.empty();
    if (event.kind == EventKind::log && table.measurement->log) continue;
    table_member(
        event, table, true, [&](const model::Field& f) { return !wire || f.derived; },
        [&](std::size_t row) { return row_stored(event, table, row); }, table.measurement->name, body);
  }
  if (body.size() == head) return;
  out += '{';
  member(out, kind);
  out += body + "}}\n";
}

// Where the lines of docs/wire.md have other names than stores.
struct LineName {
  std::string_view measurement, name, line;
  std::int64_t scale = 1;
};
constexpr LineName kLineNames[] = {
    {"event", "kernel_seq", "record"},
    {"event", "time_usec", "boot_ns", 1000},
    {"event", "port", "interface"},
};
const LineName* line_name(const Measurement& m, std::string_view name) {
  for (const LineName& n : kLineNames) {
    if (n.measurement == m.name && n.name == name) return &n;
  }
  return nullptr;
}

// One line a row, its keys and fields side by side.
void flat(const Event& event, std::string_view kind, std::string& out) {
  for (const ShapeTable& table : event.shape->tables()) {
    const Measurement& m = *table.measurement;
    if (event.kind == EventKind::log && !m.log) continue;
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
      if (!row_stored(event, table, row)) continue;
      out += '{';
      member(out, kind);
      out += '{';
      number(out, "wall_ns", event.wall_ns);
      for (std::size_t k = 0; k < m.keys.size(); ++k) {
        const LineName* const other = line_name(m, m.keys[k].name);
        member(out, other != nullptr ? other->line : m.keys[k].name);
        append_json_key(out, m.keys[k], table.rows[row].keys[k]);
      }
      std::string cell;
      for (std::uint32_t f = 0; f < table.columns(); ++f) {
        cell.clear();
        const LineName* const other = line_name(m, m.fields[f].name);
        const std::uint32_t slot = table.slot(row, f);
        if (other != nullptr && other->scale != 1 && event.has(slot))
          cell = std::to_string(event.integer(slot) * other->scale);
        else if (!append_json_cell(cell, event, m.fields[f], slot))
          continue;
        member(out, other != nullptr ? other->line : m.fields[f].name);
        out += cell;
      }
      if (event.kind == EventKind::restart && !event.origin->boot_id.empty()) {
        member(out, "boot_id");
        append_json_string(out, event.origin->boot_id);
      }
      out += "}}\n";
    }
  }
}

}  // namespace

void NdjsonLines::names(const Event& event, std::string& out) {
  std::string tables = "{";
  for (const ShapeTable& table : event.shape->tables()) {
    const Measurement& m = *table.measurement;
    if (m.wire_table.empty() ||
        std::none_of(m.keys.begin(), m.keys.end(), [](const model::Key& k) { return k.label; }))
      continue;
    std::string rows;
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
      if (!any_cell(event, table, row)) continue;
      std::vector<std::string> identity = {m.wire_table};
      std::vector<std::string> labels;
      std::string text = "{";
      for (std::size_t k = 0; k < m.keys.size(); ++k) {
        (m.keys[k].label ? labels : identity).push_back(table.rows[row].keys[k]);
        member(text, m.keys[k].name);
        append_json_key(text, m.keys[k], table.rows[row].keys[k]);
      }
      const auto [known, added] = named_.try_emplace(std::move(identity), labels);
      if (!added && known->second == labels) continue;
      known->second = std::move(labels);
      if (!rows.empty()) rows += ',';
      rows += text + '}';
    }
    if (rows.empty()) continue;
    member(tables, m.wire_table);
    tables += '[' + rows + ']';
  }
  if (tables.size() > 1) out += "{\"names\":" + tables + "}}\n";
}

void NdjsonLines::render(const Event& event, std::string& out) {
  if (!event.shape) return;
  const std::string_view kind = event_kind_name(event.kind);
  switch (event.kind) {
    case EventKind::sample:
      names(event, out);
      sample(event, out);
      return others(event, "derived", out);
    case EventKind::log:
      flat(event, kind, out);
      return others(event, "kmsg", out);
    case EventKind::gap:
    case EventKind::restart:
    case EventKind::trigger:
      return flat(event, kind, out);
    default:
      return others(event, kind, out);
  }
}

}  // namespace mikroscope::sinks
