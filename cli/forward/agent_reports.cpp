#include "cli/forward/agent_reports.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "model/event_builder.h"

namespace mikroscope::cli {
namespace {

using Json = nlohmann::json;
using model::Field;
using model::Kind;
using model::MeasurementPtr;
using model::Type;
using proc::Unit;

Field running(std::string name, std::string help, Unit unit = Unit::events) {
  return {std::move(name), Kind::running, Type::integer, unit, 0, false, std::move(help), {}};
}
Field level(std::string name, std::string help, Unit unit = Unit::none) {
  return {std::move(name), Kind::level, Type::integer, unit, 0, false, std::move(help), {}};
}
Field text(std::string name, std::string help) {
  return {std::move(name), Kind::level, Type::text, Unit::none, 0, false, std::move(help), {}};
}
Field flag(std::string name, std::string help) {
  return {std::move(name), Kind::level, Type::boolean, Unit::none, 0, false, std::move(help), {}};
}

MeasurementPtr make(model::Measurement m) {
  return std::make_shared<const model::Measurement>(std::move(m));
}

const MeasurementPtr kDevice =
    make({"device",
          {{"board", true, true, "as the router calls it; unknown where it does not say"},
           {"kernel", true, true, "release"}},
          {level("cores", "online cores"), level("rate_hz", "samples a second"),
           level("buffer_s", "what the ring holds", Unit::seconds), text("version", "of the agent"),
           text("sources", "what it reads"), text("sandbox", "what it gave up"),
           text("hash", "of its tables"), level("conntrack_max", "most tracked connections"),
           level("memory_total", "of the machine", Unit::bytes),
           level("cgroup_mem_max", "limit of the agent's control group", Unit::bytes),
           flag("privileged", "it can read what only root may"),
           text("ports_from", "what tells which port is which")},
          "what the machine is"});
const MeasurementPtr kCadence =
    make({"device_cadence",
          {{"source", true, false, "as in docs/sources.md"},
           {"reason", true, true, "rate, budget, declared, change or override"}},
          {{"hz", Kind::level, Type::real, Unit::none, 0, false, "readings a second", {}}},
          "how often each source is read"});
const MeasurementPtr kSampler =
    make({"sampler",
          {},
          {running("ticks", "since the agent's start"), running("missed", "ticks that never were"),
           running("slipped", "ticks that came late"), running("clock_steps", "of the wall clock"),
           running("samples_lost", "that the ring had to drop"),
           running("events_lost", "that the ring had to drop"),
           running("rows_refused", "for which a table had no room"),
           running("cpu_ns", "of the agent", Unit::nanoseconds), level("ring_bytes", "in use", Unit::bytes),
           level("ring_budget_bytes", "at most", Unit::bytes), level("captures_held", "captures"),
           level("capture_bytes", "of captures", Unit::bytes),
           level("capture_budget_bytes", "of captures, at most", Unit::bytes),
           running("capture_served_bytes", "of captures", Unit::bytes)},
          "the agent's own report"});
const MeasurementPtr kTriggerCount =
    make({"trigger_count",
          {{"condition", true, false, "as configured"}},
          {running("fired", "since the agent's start"), running("suppressed", "since the agent's start")},
          "how often triggers fired"});
const MeasurementPtr kCaptureRefused = make({"capture_refused",
                                             {{"reason", true, false, "budget, empty or refractory"}},
                                             {running("count", "since the agent's start")},
                                             "captures that were not kept"});

// Numbers under `name`, where it is one.
void number(model::EventBuilder& builder, std::string_view field, const Json& object, const char* name) {
  const auto it = object.find(name);
  if (it != object.end() && it->is_number_integer()) builder.integer(field, it->get<std::int64_t>());
}
void words(model::EventBuilder& builder, std::string_view field, const Json& object, const char* name) {
  const auto it = object.find(name);
  if (it != object.end() && it->is_string() && !it->get_ref<const std::string&>().empty())
    builder.text(field, it->get<std::string>());
}
const Json& within(const Json& object, const char* name) {
  static const Json kNone = Json::object();
  const auto it = object.find(name);
  return it != object.end() && it->is_object() ? *it : kNone;
}
std::string label(const Json& object, const char* name) {
  const auto it = object.find(name);
  return it != object.end() && it->is_string() && !it->get_ref<const std::string&>().empty()
             ? it->get<std::string>()
             : "unknown";
}

}  // namespace

std::optional<model::Event> device_event(const model::OriginPtr& origin, std::int64_t wall_ns,
                                         const std::string& capabilities) {
  const Json json = Json::parse(capabilities, nullptr, false);
  if (!json.is_object()) return std::nullopt;
  model::EventBuilder builder(model::EventKind::device, origin, wall_ns);
  builder.row(kDevice, {label(json, "board"), label(json, "kernel")});
  number(builder, "cores", json, "cores");
  number(builder, "rate_hz", json, "rate_hz");
  number(builder, "buffer_s", json, "buffer_s");
  words(builder, "version", json, "version");
  words(builder, "sandbox", json, "sandbox");
  words(builder, "hash", json, "schema");
  const Json& limits = within(json, "limits");
  number(builder, "conntrack_max", limits, "conntrack_max");
  number(builder, "memory_total", limits, "memory_total_bytes");
  number(builder, "cgroup_mem_max", limits, "cgroup_mem_max");
  std::string sources;
  bool privileged = false;
  for (const auto& [name, source] : within(json, "sources").items()) {
    if (!source.is_object() || source.value("status", "") != "ok") continue;
    sources += (sources.empty() ? "" : ",") + name;
    privileged = privileged || source.value("privileged", false);
  }
  if (!sources.empty()) builder.text("sources", sources).boolean("privileged", privileged);
  for (const auto& [name, source] : within(json, "sources").items()) {
    if (!source.is_object() || source.value("status", "") != "ok") continue;
    const Json& cadence = within(source, "cadence");
    const auto hz = cadence.find("hz");
    if (hz != cadence.end() && hz->is_number())
      builder.row(kCadence, {name, label(cadence, "reason")}).real("hz", hz->get<double>());
  }
  return builder.finish();
}

std::optional<model::Event> sampler_event(const model::OriginPtr& origin, std::int64_t wall_ns,
                                          const std::string& sampler) {
  const Json json = Json::parse(sampler, nullptr, false);
  if (!json.is_object()) return std::nullopt;
  model::EventBuilder builder(model::EventKind::sampler, origin, wall_ns);
  builder.row(kSampler);
  for (const char* name :
       {"ticks", "missed", "slipped", "clock_steps", "samples_lost", "events_lost", "rows_refused", "cpu_ns"})
    number(builder, name, json, name);
  const Json& ring = within(json, "ring");
  number(builder, "ring_bytes", ring, "bytes");
  number(builder, "ring_budget_bytes", ring, "budget_bytes");
  const Json& captures = within(json, "captures");
  number(builder, "captures_held", captures, "held");
  number(builder, "capture_bytes", captures, "bytes");
  number(builder, "capture_budget_bytes", captures, "budget_bytes");
  number(builder, "capture_served_bytes", captures, "served_bytes");
  for (const auto& [name, trigger] : within(json, "triggers").items()) {
    if (!trigger.is_object()) continue;
    builder.row(kTriggerCount, {name});
    number(builder, "fired", trigger, "fired");
    number(builder, "suppressed", trigger, "suppressed");
  }
  for (const auto& [name, count] : within(captures, "refused").items()) {
    if (count.is_number_integer())
      builder.row(kCaptureRefused, {name}).integer("count", count.get<std::int64_t>());
  }
  return builder.finish();
}

std::vector<MeasurementPtr> agent_report_measurements() {
  return {kDevice, kCadence, kSampler, kTriggerCount, kCaptureRefused};
}

}  // namespace mikroscope::cli
