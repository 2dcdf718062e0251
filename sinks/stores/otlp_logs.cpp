#include <array>

#include "sinks/stores/otlp_points.h"

namespace mikroscope::sinks {
namespace {

struct Severity {
  int number;
  std::string_view text;
};
// syslog levels 0 to 7 as the OpenTelemetry log data model maps them.
constexpr std::array<Severity, 8> kOfLevel = {{{24, "emerg"},
                                               {22, "alert"},
                                               {21, "crit"},
                                               {17, "err"},
                                               {13, "warn"},
                                               {10, "notice"},
                                               {9, "info"},
                                               {5, "debug"}}};

Severity severity_of(const model::Event& event, const model::ShapeTable& table, std::size_t row) {
  if (const int level = table.measurement->field("level"); level >= 0) {
    const std::uint32_t slot = table.slot(row, static_cast<std::size_t>(level));
    const bool whole =
        table.measurement->fields[static_cast<std::size_t>(level)].type == model::Type::integer;
    if (whole && event.has(slot) && event.integer(slot) >= 0 && event.integer(slot) < 8)
      return kOfLevel[static_cast<std::size_t>(event.integer(slot))];
  }
  switch (event.kind) {
    case model::EventKind::gap:
    case model::EventKind::restart:
    case model::EventKind::detection:
      return kOfLevel[4];
    default:
      return kOfLevel[6];
  }
}

OtlpValue value_of(const model::Event& event, const model::Field& field, std::uint32_t slot) {
  switch (field.type) {
    case model::Type::text:
      return valid_text(event.text(slot));
    case model::Type::boolean:
      return event.integer(slot) != 0;
    case model::Type::integer:
      return event.integer(slot);
    case model::Type::decimal:
    case model::Type::real:
      break;
  }
  return model::number(event, field, slot).value_or(0);
}

}  // namespace

OtlpLogs otlp_logs(std::span<const model::Event> events) {
  std::map<std::string, std::vector<OtlpLog>> hosts;
  for (const model::Event& event : events) {
    if (event.repeat || !event.shape || !event.origin || event.wall_ns <= 0) continue;
    for (const model::ShapeTable& table : event.shape->tables()) {
      if (!table.measurement->log) continue;
      for (std::size_t row = 0; row < table.rows.size(); ++row) {
        OtlpLog log;
        bool any = false;
        log.attributes.emplace_back("mikroscope.measurement", table.measurement->name);
        for (std::size_t k = 0; k < table.measurement->keys.size(); ++k) {
          if (!table.rows[row].keys[k].empty())
            log.attributes.emplace_back(table.measurement->keys[k].name, valid_text(table.rows[row].keys[k]));
        }
        for (std::size_t f = 0; f < table.measurement->fields.size(); ++f) {
          const model::Field& field = table.measurement->fields[f];
          const std::uint32_t slot = table.slot(row, f);
          if (!event.has(slot)) continue;
          any = true;
          if (field.name == "message" && field.type == model::Type::text) {
            log.body = valid_text(event.text(slot));
          } else if (field.type == model::Type::text && event.text(slot).empty()) {
            continue;
          } else if (field.type != model::Type::real || model::number(event, field, slot)) {
            log.attributes.emplace_back(field.name, value_of(event, field, slot));
          }
        }
        if (!any) continue;
        const Severity severity = severity_of(event, table, row);
        log.severity = severity.number;
        log.severity_text = severity.text;
        log.time_ns = event.wall_ns;
        hosts[event.origin->host].push_back(std::move(log));
      }
    }
  }
  OtlpLogs out;
  for (auto& [host, logs] : hosts) out.push_back({valid_text(host), std::move(logs)});
  return out;
}

}  // namespace mikroscope::sinks
