// GET /capabilities: everything about this agent and its machine that does not change from sample to sample.

#include "agent/json.h"
#include "agent/service.h"

namespace mikroscope::agent {
namespace {

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
    json.print(R"("status":%j,"group":%j)",
               state == nullptr ? std::string_view("off") : proc::read_status_name(state->status),
               proc::kGroupNames[static_cast<std::size_t>(def->group)]);
    write_help(json, def->help);
    if (def->privileged) json.boolean("privileged", true);
    if (state != nullptr) {
      json.print(R"("cadence":{"hz":%t,"reason":%j})",
                 static_cast<std::int64_t>(service.config->rate_hz) * 1000 / state->period_ticks,
                 state->period_ticks == 1 ? proc::TableText("rate") : state->cadence.reason);
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
      json.print(R"("name":%j,"type":%j)", k.name,
                 k.text ? std::string_view("text") : std::string_view("integer"));
      if (k.label) json.boolean("label", true);
      write_help(json, k.help);
      json.close('}');
    }
    json.close(']');
    json.open('[', "columns");
    for (const proc::Column& c : t.schema->columns) {
      json.open('{');
      json.print(R"("name":%j,"kind":%j)", c.name,
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
  json.print(R"("version":%j,"instance":%j,"boot_id":%j,"kernel":%j,"kernel_version":%j)", kVersion,
             facts.instance, facts.boot_id, facts.kernel, facts.version_line);
  if (!facts.board.empty()) json.text("board", facts.board);
  if (!facts.cmdline_board.empty()) json.text("cmdline_board", facts.cmdline_board);
  if (!facts.cmdline_version.empty()) json.text("cmdline_version", facts.cmdline_version);
  json.print(R"("cores":%u,"possible_cores":%u,"user_hz":100,"rate_hz":%u,"buffer_s":%u)", facts.online_cpus,
             facts.machine.possible_cpus, service.config->rate_hz, service.config->buffer_s);
  base::Writer& hash = json.value("schema");
  hash.put('"');
  hash.hex32(service.store->schema_hash);
  hash.put('"');
  json.print(R"("sandbox":%j,"watchdog":%s)", service.sandbox, base::truth(facts.watchdog));
  if (!facts.watchdog_identity.empty()) json.text("watchdog_identity", facts.watchdog_identity);
  json.open('{', "limits");
  if (facts.memory_limit.bytes != 0) {
    json.print(R"("memory_max_bytes":%u,"memory_max_from":%j)", facts.memory_limit.bytes,
               facts.memory_limit.from);
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
      json.print(R"({"zone":%u,"type":%j,"celsius":%t})", trip.zone, trip.type, trip.millicelsius);
    }
    json.close(']');
  }
  json.print(R"("agent_ring_bytes":%u,"agent_capture_bytes":%u,"agent_fixed_bytes":%u)",
             service.memory.ring_bytes, service.memory.capture_bytes, service.memory.fixed_bytes);
  json.close('}');
  json.open('{', "vulnerabilities");
  for (std::uint32_t i = 0; i < facts.vulnerability_count; ++i) {
    json.text(facts.vulnerabilities[i].name, facts.vulnerabilities[i].state);
  }
  json.close('}');
  // Files below the network namespace of a container: never shown as the router's.
  json.print(R"("namespaced":["net/dev","net/snmp","net/netstat","sys/net/netfilter/nf_conntrack_count"])");
  write_sources(service, json);
  write_tables(service, json);
  json.open('[', "conditions");
  for (const ConditionDef& def : all_conditions()) {
    json.open('{');
    json.text("name", def.name);
    if (!def.comparison.empty()) {
      json.print(R"("comparison":%j,"unit":%j)", def.comparison, def.unit);
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
