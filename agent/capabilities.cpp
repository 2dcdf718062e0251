// GET /capabilities: everything about this agent and its machine that does not change from sample to sample.

#include "agent/json.h"
#include "agent/service.h"

namespace mikroscope::agent {
namespace {

// Files below the network namespace of a container: never shown as the router's.
constexpr std::string_view kNamespaced[] = {"net/dev", "net/snmp", "net/netstat",
                                            "sys/net/netfilter/nf_conntrack_count"};

void write_help(Json& json, std::string_view help) {
  if (!help.empty()) json.text("help", help);
}

void write_sources(const Service& service, Json& json) {
  json.open('{', "sources");
  for (const proc::SourceDef* def : proc::all_sources()) {
    const SourceState* state = nullptr;
    for (const SourceState& s : service.sampler->sources()) {
      if (s.def == def) state = &s;
    }
    json.open('{', def->name);
    json.text("status", state == nullptr ? std::string_view("off") : proc::read_status_name(state->status));
    write_help(json, def->help);
    json.text("group", proc::kGroupNames[static_cast<std::size_t>(def->group)]);
    if (def->privileged) json.boolean("privileged", true);
    if (state != nullptr) {
      json.open('{', "cadence");
      json.fixed("hz", static_cast<std::int64_t>(service.config->rate_hz) * 1000 / state->period_ticks, 3);
      json.text("reason", state->period_ticks == 1 ? proc::TableText("rate") : state->cadence.reason);
      json.close('}');
      json.open('[', "paths");
      state->source->paths(
          [](void* context, std::string_view path) { static_cast<Json*>(context)->text({}, path); }, &json);
      json.close(']');
    }
    json.close('}');
  }
  json.close('}');
}

void write_tables(const Service& service, Json& json) {
  json.open('[', "tables");
  for (const proc::Table& t : service.store->layout->all()) {
    json.open('{');
    json.text("table", t.schema->table);
    write_help(json, t.schema->help);
    json.open('[', "keys");
    for (const proc::KeyColumn& k : t.schema->keys) {
      json.open('{');
      json.text("name", k.name);
      json.text("type", k.text ? std::string_view("text") : std::string_view("integer"));
      if (k.label) json.boolean("label", true);
      write_help(json, k.help);
      json.close('}');
    }
    json.close(']');
    json.open('[', "columns");
    for (const proc::Column& c : t.schema->columns) {
      json.open('{');
      json.text("name", c.name);
      json.text("kind",
                c.kind == proc::Kind::counter ? std::string_view("counter") : std::string_view("gauge"));
      if (c.unit != proc::Unit::none) json.text("unit", proc::unit_name(c.unit));
      if (c.kind == proc::Kind::counter)
        json.number("bits", static_cast<std::uint64_t>(proc::resolve(c.width)));
      if (c.decimals != 0) json.number("decimals", c.decimals);
      write_help(json, c.help);
      json.close('}');
    }
    json.close(']');
    json.close('}');
  }
  json.close(']');
}

void write_settings(const Service& service, Json& json) {
  json.open('{', "settings");
  for (const Setting& setting : all_settings()) {
    if (setting.kind == SettingKind::secret || setting.name == "MIKROSCOPE_TAG") continue;
    if (setting.number != nullptr) {
      json.number(setting.name, service.config->*setting.number);
    } else {
      json.text(setting.name, service.config->*setting.text);
    }
  }
  json.boolean("token", !service.config->token.empty());
  json.close('}');
}

}  // namespace

void write_capabilities(const Service& service, base::Writer& out) {
  const MachineFacts& facts = *service.facts;
  Json json(out);
  json.open('{');
  json.text("version", kVersion);
  json.text("instance", facts.instance);
  json.text("boot_id", facts.boot_id);
  json.text("kernel", facts.kernel);
  json.text("kernel_version", facts.version_line);
  if (!facts.board.empty()) json.text("board", facts.board);
  if (!facts.cmdline_board.empty()) json.text("cmdline_board", facts.cmdline_board);
  if (!facts.cmdline_version.empty()) json.text("cmdline_version", facts.cmdline_version);
  json.number("cores", facts.online_cpus);
  json.number("possible_cores", facts.machine.possible_cpus);
  json.number("user_hz", 100);
  json.number("rate_hz", service.config->rate_hz);
  json.number("buffer_s", service.config->buffer_s);
  base::Writer& hash = json.value("schema");
  hash.put('"');
  hash.hex32(service.store->schema_hash);
  hash.put('"');
  json.text("sandbox", service.sandbox);
  json.boolean("watchdog", facts.watchdog);
  if (!facts.watchdog_identity.empty()) json.text("watchdog_identity", facts.watchdog_identity);
  json.open('{', "limits");
  if (facts.memory_limit.bytes != 0) {
    json.number("memory_max_bytes", facts.memory_limit.bytes);
    json.text("memory_max_from", facts.memory_limit.from);
  }
  if (facts.memory_total != 0) json.number("memory_total_bytes", facts.memory_total);
  if (facts.conntrack_max != 0) json.number("conntrack_max", facts.conntrack_max);
  if (!facts.governor.empty()) json.text("cpufreq_governor", facts.governor);
  if (facts.cpufreq_min_khz != 0) json.number("cpufreq_min_khz", facts.cpufreq_min_khz);
  if (facts.cpufreq_max_khz != 0) json.number("cpufreq_max_khz", facts.cpufreq_max_khz);
  if (facts.trip_point_count != 0) {
    json.open('[', "thermal_trips");
    for (std::uint32_t i = 0; i < facts.trip_point_count; ++i) {
      const TripPoint& trip = facts.trip_points[i];
      json.open('{');
      json.number("zone", trip.zone);
      json.text("type", trip.type);
      json.fixed("celsius", trip.millicelsius, 3);
      json.close('}');
    }
    json.close(']');
  }
  json.number("agent_ring_bytes", service.memory.ring_bytes);
  json.number("agent_capture_bytes", service.memory.capture_bytes);
  json.number("agent_fixed_bytes", service.memory.fixed_bytes);
  json.close('}');
  json.open('{', "vulnerabilities");
  for (std::uint32_t i = 0; i < facts.vulnerability_count; ++i) {
    json.text(facts.vulnerabilities[i].name, facts.vulnerabilities[i].state);
  }
  json.close('}');
  json.open('[', "namespaced");
  for (const std::string_view name : kNamespaced) json.text({}, name);
  json.close(']');
  write_sources(service, json);
  write_tables(service, json);
  json.open('[', "conditions");
  for (const ConditionDef& def : all_conditions()) {
    json.open('{');
    json.text("name", def.name);
    if (!def.comparison.empty()) {
      json.text("comparison", def.comparison);
      json.text("unit", def.unit);
      put_scaled(def.low, json.value("low"));
      put_scaled(def.high, json.value("high"));
    }
    write_help(json, def.help);
    json.close('}');
  }
  json.close(']');
  write_settings(service, json);
  json.close('}');
  out.put('\n');
}

}  // namespace mikroscope::agent
