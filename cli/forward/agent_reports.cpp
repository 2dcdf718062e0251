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

// A field and where the agent's JSON has it.
struct Told {
  const char* name;
  const char* path;
  Kind kind;
  Type type;
  Unit unit;
  const char* help;
};

constexpr Told kDeviceFields[] = {
    {"cores", "/cores", Kind::level, Type::integer, Unit::none, "online cores"},
    {"rate_hz", "/rate_hz", Kind::level, Type::integer, Unit::none, "samples a second"},
    {"buffer_s", "/buffer_s", Kind::level, Type::integer, Unit::seconds, "what the ring holds"},
    {"version", "/version", Kind::level, Type::text, Unit::none, "of the agent"},
    {"sandbox", "/sandbox", Kind::level, Type::text, Unit::none, "what it gave up"},
    {"hash", "/schema", Kind::level, Type::text, Unit::none, "of its tables"},
    {"conntrack_max", "/limits/conntrack_max", Kind::level, Type::integer, Unit::none,
     "most tracked connections"},
    {"memory_total", "/limits/memory_total_bytes", Kind::level, Type::integer, Unit::bytes, "of the machine"},
    {"cgroup_mem_max", "/limits/memory_max_bytes", Kind::level, Type::integer, Unit::bytes,
     "limit of the agent's control group"},
    {"cpufreq_governor", "/limits/cpufreq_governor", Kind::level, Type::text, Unit::none, "of the clock"},
    {"cpufreq_min_khz", "/limits/cpufreq_min_khz", Kind::level, Type::integer, Unit::kilohertz,
     "lowest clock"},
    {"cpufreq_max_khz", "/limits/cpufreq_max_khz", Kind::level, Type::integer, Unit::kilohertz,
     "highest clock"},
};
constexpr Told kSamplerFields[] = {
    {"ticks", "/ticks", Kind::running, Type::integer, Unit::events, "since the agent's start"},
    {"missed", "/missed", Kind::running, Type::integer, Unit::events, "ticks that never were"},
    {"slipped", "/slipped", Kind::running, Type::integer, Unit::events, "ticks that came late"},
    {"clock_steps", "/clock_steps", Kind::running, Type::integer, Unit::events, "of the wall clock"},
    {"samples_lost", "/samples_lost", Kind::running, Type::integer, Unit::events,
     "that the ring had to drop"},
    {"events_lost", "/events_lost", Kind::running, Type::integer, Unit::events, "that the ring had to drop"},
    {"rows_refused", "/rows_refused", Kind::running, Type::integer, Unit::events,
     "for which a table had no room"},
    {"cpu_ns", "/cpu_ns", Kind::running, Type::integer, Unit::nanoseconds, "of the agent"},
    {"ring_bytes", "/ring/bytes", Kind::level, Type::integer, Unit::bytes, "in use"},
    {"ring_budget_bytes", "/ring/budget_bytes", Kind::level, Type::integer, Unit::bytes, "at most"},
    {"captures_held", "/captures/held", Kind::level, Type::integer, Unit::none, "captures"},
    {"capture_bytes", "/captures/bytes", Kind::level, Type::integer, Unit::bytes, "of captures"},
    {"capture_budget_bytes", "/captures/budget_bytes", Kind::level, Type::integer, Unit::bytes,
     "of captures, at most"},
    {"capture_served_bytes", "/captures/served_bytes", Kind::running, Type::integer, Unit::bytes,
     "of captures"},
};

Field field(const char* name, Kind kind, Type type, Unit unit, const char* help) {
  return {name, kind, type, unit, 0, false, help, {}};
}

template <std::size_t N>
std::vector<Field> fields(const Told (&told)[N]) {
  std::vector<Field> out;
  for (const Told& t : told) out.push_back(field(t.name, t.kind, t.type, t.unit, t.help));
  return out;
}

MeasurementPtr make(model::Measurement m) {
  return std::make_shared<const model::Measurement>(std::move(m));
}

const MeasurementPtr& device() {
  static const MeasurementPtr m = [] {
    model::Measurement d{"device",
                         {{"board", true, true, "as the router calls it; unknown where it does not say"},
                          {"kernel", true, true, "release"}},
                         fields(kDeviceFields),
                         "what the machine is"};
    d.fields.push_back(field("sources", Kind::level, Type::text, Unit::none, "what it reads"));
    d.fields.push_back(
        field("privileged", Kind::level, Type::boolean, Unit::none, "it can read what only root may"));
    return make(std::move(d));
  }();
  return m;
}
const MeasurementPtr& cadence() {
  static const MeasurementPtr m =
      make({"device_cadence",
            {{"source", true, false, "as in docs/sources.md"},
             {"reason", true, true, "rate, budget, declared, change or override"}},
            {field("hz", Kind::level, Type::real, Unit::none, "readings a second")},
            "how often each source is read"});
  return m;
}
const MeasurementPtr& sampler_report() {
  static const MeasurementPtr m = make({"sampler", {}, fields(kSamplerFields), "the agent's own report"});
  return m;
}
const MeasurementPtr& trigger_count() {
  static const MeasurementPtr m =
      make({"trigger_count",
            {{"condition", true, false, "as configured"}},
            {field("fired", Kind::running, Type::integer, Unit::events, "since the agent's start"),
             field("suppressed", Kind::running, Type::integer, Unit::events, "since the agent's start")},
            "how often triggers fired"});
  return m;
}
const MeasurementPtr& capture_refused() {
  static const MeasurementPtr m =
      make({"capture_refused",
            {{"reason", true, false, "budget, empty or refractory"}},
            {field("count", Kind::running, Type::integer, Unit::events, "since the agent's start")},
            "captures that were not kept"});
  return m;
}

// What is there under its path; what is not stays absent.
template <std::size_t N>
void tell(model::EventBuilder& builder, const Json& json, const Told (&told)[N]) {
  for (const Told& t : told) {
    const Json::json_pointer path(t.path);
    if (!json.contains(path)) continue;
    const Json& value = json[path];
    if (t.type == Type::text && value.is_string() && !value.get_ref<const std::string&>().empty())
      builder.text(t.name, value.get<std::string>());
    if (t.type == Type::integer && value.is_number_integer())
      builder.integer(t.name, value.get<std::int64_t>());
  }
}
void number(model::EventBuilder& builder, std::string_view name, const Json& object, const char* member) {
  const auto it = object.find(member);
  if (it != object.end() && it->is_number_integer()) builder.integer(name, it->get<std::int64_t>());
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
  builder.row(device(), {label(json, "board"), label(json, "kernel")});
  tell(builder, json, kDeviceFields);
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
    const Json& how_often = within(source, "cadence");
    const auto hz = how_often.find("hz");
    if (hz != how_often.end() && hz->is_number())
      builder.row(cadence(), {name, label(how_often, "reason")}).real("hz", hz->get<double>());
  }
  return builder.finish();
}

std::optional<model::Event> sampler_event(const model::OriginPtr& origin, std::int64_t wall_ns,
                                          const std::string& sampler) {
  const Json json = Json::parse(sampler, nullptr, false);
  if (!json.is_object()) return std::nullopt;
  model::EventBuilder builder(model::EventKind::sampler, origin, wall_ns);
  builder.row(sampler_report());
  tell(builder, json, kSamplerFields);
  for (const auto& [name, trigger] : within(json, "triggers").items()) {
    if (!trigger.is_object()) continue;
    builder.row(trigger_count(), {name});
    number(builder, "fired", trigger, "fired");
    number(builder, "suppressed", trigger, "suppressed");
  }
  for (const auto& [name, count] : within(within(json, "captures"), "refused").items()) {
    if (count.is_number_integer())
      builder.row(capture_refused(), {name}).integer("count", count.get<std::int64_t>());
  }
  return builder.finish();
}

std::vector<MeasurementPtr> agent_report_measurements() {
  return {device(), cadence(), sampler_report(), trigger_count(), capture_refused()};
}

}  // namespace mikroscope::cli
