#include "tools/docs/blocks.h"

#include <fmt/format.h>

#include <iterator>
#include <vector>

#include "agent/config.h"
#include "cli/exit_codes.h"
#include "cli/model.h"
#include "plot/panel.h"
#include "proc/reader/derived.h"
#include "proc/source.h"
#include "routeros/deploy/finding.h"
#include "tools/docs/markdown.h"
#include "tools/docs/store_blocks.h"

namespace mikroscope::docs {
namespace {

std::string cadence_text(const proc::Cadence& cadence) {
  if (cadence.every_s != 0) return fmt::format("every {} s ({})", cadence.every_s, cadence.reason);
  if (cadence.max_hz != 0) return fmt::format("at most {} Hz ({})", cadence.max_hz, cadence.reason);
  return "every tick";
}

std::string sources() {
  std::string out = head({"source", "reads", "how often", "group", "needs"});
  for (const proc::SourceDef* const s : proc::all_sources()) {
    out += row({code(s->name), cell(s->help), cadence_text(s->cadence),
                std::string(proc::kGroupNames[static_cast<std::size_t>(s->group)]),
                s->privileged ? "root, or a privileged container" : ""});
  }
  return out;
}

std::string kind_text(const proc::Column& column) {
  if (column.kind == proc::Kind::gauge) return "gauge";
  switch (column.width) {
    case proc::Width::bits32:
      return "counter, 32 bits";
    case proc::Width::native:
      return "counter, unsigned long";
    case proc::Width::bits64:
      break;
  }
  return "counter";
}

std::string columns() {
  std::string out;
  for (const proc::TableDef& def : proc::all_tables()) {
    const proc::Schema& schema = *def.schema;
    out += fmt::format("### {}\n\n{}\n\n", schema.table, cell(schema.help));
    out += head({"column", "kind", "unit", "meaning"});
    for (const proc::KeyColumn& key : schema.keys) {
      out += row({code(key.name), key.label ? "key (in the names line only)" : "key",
                  key.text ? "text" : "number", cell(key.help)});
    }
    for (const proc::Column& column : schema.columns) {
      std::string unit(proc::unit_name(column.unit));
      if (column.decimals != 0)
        unit += fmt::format("{}{} decimals", unit.empty() ? "" : ", ", column.decimals);
      out += row({code(column.name), kind_text(column), unit, cell(column.help)});
    }
    out += "\n";
  }
  if (!out.empty()) out.pop_back();
  return out;
}

std::string derived() {
  std::string out = head({"table", "column", "unit", "meaning"});
  for (const proc::Derived& d : proc::all_derived()) {
    out += row({code(d.table), code(d.name), std::string(proc::unit_name(d.unit)), cell(d.help)});
  }
  return out;
}

std::string settings() {
  std::string out = head({"variable", "default", "values", "meaning"});
  for (const agent::Setting& s : agent::all_settings()) {
    const std::string values =
        s.kind == agent::SettingKind::number ? fmt::format("{} to {}", s.low, s.high) : cell(s.want);
    out += row({code(s.name), code(s.fallback), values, cell(s.help)});
  }
  return out;
}

std::string panels() {
  std::string out = head({"panel", "title", "unit", "shows"});
  for (const plot::Panel* const p : plot::all_panels()) {
    out += row({code(p->name), cell(p->title), cell(p->unit), cell(p->help)});
  }
  return out;
}

std::string exit_codes() {
  std::string out = head({"code", "name", "meaning"});
  for (const cli::ExitCode& e : cli::kExitCodes) {
    out += row({fmt::format("{}", static_cast<int>(e.exit)), cell(e.name), cell(e.meaning)});
  }
  return out;
}

std::string option_text(const cli::OptionModel& option) {
  std::string names;
  for (const std::string& name : option.names) names += (names.empty() ? "" : ", ") + name;
  return code(option.value.empty() || option.positional ? names : names + " " + option.value);
}

std::string option_help(const cli::OptionModel& option) {
  std::string out = cell(option.help);
  if (!option.default_text.empty()) out += fmt::format(" (default {})", code(option.default_text));
  if (!option.env.empty()) out += fmt::format(" (environment: {})", code(option.env));
  return out;
}

std::string commands() {
  std::string out;
  for (const cli::VerbModel& verb : cli::describe_app().verbs) {
    out += fmt::format("## mikroscope {}\n\n{}\n\n", verb.name, verb.summary);
    if (!verb.options.empty()) {
      out += head({"option", "meaning"});
      for (const cli::OptionModel& option : verb.options)
        out += row({option_text(option), option_help(option)});
      out += "\n";
    }
    if (!verb.examples.empty()) {
      out += "```sh\n";
      for (const cli::Example& e : verb.examples)
        out += fmt::format("mikroscope {}    # {}\n", e.command, e.what);
      out += "```\n\n";
    }
  }
  if (!out.empty()) out.pop_back();
  return out;
}

std::string checks() {
  std::string out = head({"check", "holds when", "reads", "why"});
  for (const routeros::Check* const c : routeros::all_checks())
    out += row({code(c->name), cell(c->title), cell(c->reads), cell(c->help)});
  return out;
}

std::string menus() {
  std::string out = head({"menu", "policy", "what is not known without it"});
  for (const routeros::MenuDef& m : routeros::all_menus())
    out += row({code(m.path), cell(m.policy), cell(m.use)});
  return out;
}

constexpr Block kBlocks[] = {
    {"sources", sources},
    {"columns", columns},
    {"derived", derived},
    {"settings", settings},
    {"panels", panels},
    {"exit-codes", exit_codes},
    {"commands", commands},
    {"checks", checks},
    {"menus", menus},
    {"schema-kernel", kernel_schema},
    {"schema-routeros", routeros_schema},
    {"schema-agent", agent_schema},
    {"schema-detections", detection_schema},
    {"schema-collector", collector_schema},
    {"sinks", sinks},
};

}  // namespace

std::span<const Block> all_blocks() {
  return kBlocks;
}

}  // namespace mikroscope::docs
