#include "tools/docs/store_blocks.h"

#include <fmt/format.h>

#include <cctype>
#include <string_view>
#include <vector>

#include "cli/forward/agent_reports.h"
#include "cli/forward/self_report.h"
#include "model/measurement.h"
#include "routeros/tier/measurements.h"
#include "sinks/detections/detector.h"
#include "sinks/kernel/store_tables.h"
#include "sinks/pipeline/sink_def.h"
#include "tools/docs/markdown.h"

namespace mikroscope::docs {
namespace {

std::string_view kind_text(const model::Field& field) {
  switch (field.kind) {
    case model::Kind::delta:
      return "difference";
    case model::Kind::running:
      return "running total";
    case model::Kind::level:
      break;
  }
  return field.derived ? "level, derived" : "level";
}

std::string type_text(const model::Field& field) {
  switch (field.type) {
    case model::Type::decimal:
      return fmt::format("decimal, {} places", field.decimals);
    case model::Type::real:
      return "real";
    case model::Type::boolean:
      return "boolean";
    case model::Type::text:
      return "text";
    case model::Type::integer:
      break;
  }
  return "integer";
}

std::string schema(const std::vector<model::MeasurementPtr>& measurements) {
  std::string out;
  for (const model::MeasurementPtr& m : measurements) {
    out += fmt::format("### {}\n\n{}.", model::store_name(*m), cell(m->help));
    if (m->log) out += " Log stores take it.";
    if (m->sparse) out += " A row whose fields are all 0 is left out.";
    if (m->long_form) {
      out += fmt::format(" In SQL: table {}, a row for each field, named in {}, with its {}.",
                         code("mikroscope_" + m->long_form->measurement), code(m->long_form->key),
                         code(m->long_form->value));
    }
    out += "\n\n" + head({"name", "is", "type", "unit", "in SQL", "meaning"});
    for (const model::Key& key : m->keys) {
      out += row({code(key.name), key.label ? "key, describes the row" : "key", key.text ? "text" : "number",
                  "", "", cell(key.help)});
    }
    for (const model::Field& field : m->fields) {
      out += row({code(field.name), std::string(kind_text(field)), type_text(field),
                  std::string(proc::unit_name(field.unit)), code(field.sql_name), cell(field.help)});
    }
    out += "\n";
  }
  if (!out.empty()) out.pop_back();
  return out;
}

// influx-token: MIKROSCOPE_INFLUX_TOKEN
std::string variable(std::string_view option) {
  std::string out = "MIKROSCOPE_";
  for (const char c : option)
    out += c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return out;
}

}  // namespace

std::string kernel_schema() {
  return schema(sinks::kernel_measurements());
}

std::string routeros_schema() {
  return schema(routeros::api_measurements());
}

std::string agent_schema() {
  return schema(cli::agent_report_measurements());
}

std::string detection_schema() {
  return schema({sinks::Detector::measurement(), sinks::Detector::count_measurement()});
}

std::string collector_schema() {
  return schema(cli::self_measurements());
}

std::string sinks() {
  std::string out;
  for (const mikroscope::sinks::SinkDef* const sink : mikroscope::sinks::all_sinks()) {
    out += fmt::format("### {}\n\n{}.\n\n", sink->name, cell(sink->summary));
    out += head({"option", "default", "meaning"});
    for (const mikroscope::sinks::SinkOption& option : sink->options) {
      const std::string name =
          option.secret
              ? code(variable(option.name))
              : code(fmt::format("--{}{}{}", option.name, option.value.empty() ? "" : " ", option.value));
      std::string help = cell(option.help);
      if (!option.choices.empty()) help += fmt::format(" ({})", cell(option.choices));
      if (option.secret)
        help +=
            fmt::format("; or the first line of the file {}", code(fmt::format("--{}-file", option.name)));
      out += row({name, code(option.default_text), help});
    }
    out += "\n";
  }
  if (!out.empty()) out.pop_back();
  return out;
}

}  // namespace mikroscope::docs
