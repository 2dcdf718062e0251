#include "cli/forward/self_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "model/event_builder.h"

namespace mikroscope::cli {
namespace {

using model::Kind;
using model::MeasurementPtr;
using model::Type;
using proc::Unit;

// What is told of a thing of type T: the field and how it is had. Events, pages and metrics come from it.
template <class T>
struct Told {
  const char* name;
  const char* help;
  Kind kind;
  Type type;
  Unit unit;
  std::optional<double> (*value)(const T& of, std::int64_t wall_ns);
};

using Router = WorkerCounts;
using SinkState = sinks::SinkCounts;

double seconds(std::int64_t ns) {
  return static_cast<double>(ns) / 1e9;
}
std::optional<double> count(std::uint64_t n) {
  return static_cast<double>(n);
}

constexpr Told<Router> kRouter[] = {
    {"up", "the last pull worked", Kind::level, Type::boolean, Unit::none,
     [](const Router& r, std::int64_t) { return std::optional<double>(r.up ? 1 : 0); }},
    {"last_sample_age_s", "since the last sample came", Kind::level, Type::real, Unit::seconds,
     [](const Router& r, std::int64_t) {
       return r.last_sample_ns == 0 ? std::nullopt
                                    : std::optional(seconds(base::monotonic_ns() - r.last_sample_ns));
     }},
    {"skew_s", "the agent's clock minus the collector's", Kind::level, Type::real, Unit::seconds,
     [](const Router& r, std::int64_t) {
       return r.skew_ns ? std::optional(seconds(*r.skew_ns)) : std::nullopt;
     }},
    {"rtt_s", "round trip with which the skew was measured", Kind::level, Type::real, Unit::seconds,
     [](const Router& r, std::int64_t) {
       return r.skew_ns ? std::optional(seconds(r.rtt_ns)) : std::nullopt;
     }},
    {"pull_s", "how long the last pull took", Kind::level, Type::real, Unit::seconds,
     [](const Router& r, std::int64_t) { return std::optional(seconds(r.pull_ns)); }},
    {"samples", "samples taken", Kind::running, Type::integer, Unit::events,
     [](const Router& r, std::int64_t) { return count(r.samples); }},
    {"gaps", "holes that the agent told of", Kind::running, Type::integer, Unit::events,
     [](const Router& r, std::int64_t) { return count(r.gaps); }},
    {"lost_samples", "samples in those holes", Kind::running, Type::integer, Unit::events,
     [](const Router& r, std::int64_t) { return count(r.lost_samples); }},
    {"restarts", "times the agent began again", Kind::running, Type::integer, Unit::events,
     [](const Router& r, std::int64_t) { return count(r.restarts); }},
    {"reboots", "times the router did", Kind::running, Type::integer, Unit::events,
     [](const Router& r, std::int64_t) { return count(r.reboots); }},
    {"triggers", "triggers that fired", Kind::running, Type::integer, Unit::events,
     [](const Router& r, std::int64_t) { return count(r.triggers); }},
    {"pulls", "requests for samples", Kind::running, Type::integer, Unit::events,
     [](const Router& r, std::int64_t) { return count(r.pulls); }},
    {"failed_pulls", "those without a reply", Kind::running, Type::integer, Unit::events,
     [](const Router& r, std::int64_t) { return count(r.failed_pulls); }},
    {"malformed", "unreadable pieces of replies", Kind::running, Type::integer, Unit::events,
     [](const Router& r, std::int64_t) { return count(r.malformed); }},
    {"skew_jumps", "times the skew changed by more than 50 ms", Kind::running, Type::integer, Unit::events,
     [](const Router& r, std::int64_t) { return count(r.skew_jumps); }},
    {"spool_waits", "attempts to write to a spool without room", Kind::running, Type::integer, Unit::events,
     [](const Router& r, std::int64_t) { return count(r.append_failures); }},
};

constexpr Told<SinkState> kSink[] = {
    {"events", "events delivered", Kind::running, Type::integer, Unit::events,
     [](const SinkState& s, std::int64_t) { return count(s.events); }},
    {"batches", "requests that worked", Kind::running, Type::integer, Unit::events,
     [](const SinkState& s, std::int64_t) { return count(s.batches); }},
    {"rejected", "items that the store refused for good", Kind::running, Type::integer, Unit::events,
     [](const SinkState& s, std::int64_t) { return count(s.rejected); }},
    {"retries", "requests that had to be repeated", Kind::running, Type::integer, Unit::events,
     [](const SinkState& s, std::int64_t) { return count(s.retries); }},
    {"dropped", "events that the spool let go before the store took them", Kind::running, Type::integer,
     Unit::events, [](const SinkState& s, std::int64_t) { return count(s.dropped); }},
    {"behind", "events that wait", Kind::level, Type::integer, Unit::events,
     [](const SinkState& s, std::int64_t) { return count(s.behind); }},
    {"lag_s", "age of the oldest event of the batch at hand", Kind::level, Type::real, Unit::seconds,
     [](const SinkState& s, std::int64_t wall_ns) {
       return std::optional(s.oldest_wall_ns == 0 ? 0.0 : std::max(0.0, seconds(wall_ns - s.oldest_wall_ns)));
     }},
    {"deliver_s", "how long the last request that worked took", Kind::level, Type::real, Unit::seconds,
     [](const SinkState& s, std::int64_t) {
       return s.batches == 0 ? std::nullopt : std::optional(seconds(s.deliver_ns));
     }},
    {"failing", "the last request did not work", Kind::level, Type::boolean, Unit::none,
     [](const SinkState& s, std::int64_t) { return std::optional<double>(s.failing ? 1 : 0); }},
    {"stopped", "it will not be tried again", Kind::level, Type::boolean, Unit::none,
     [](const SinkState& s, std::int64_t) { return std::optional<double>(s.stopped ? 1 : 0); }},
};

constexpr Told<SelfState> kSpool[] = {
    {"bytes", "what the spool holds", Kind::level, Type::integer, Unit::bytes,
     [](const SelfState& s, std::int64_t) { return count(s.spool.bytes); }},
    {"segments", "files of it", Kind::level, Type::integer, Unit::none,
     [](const SelfState& s, std::int64_t) { return count(s.spool.segments); }},
    {"events", "events that were ever put in", Kind::running, Type::integer, Unit::events,
     [](const SelfState& s, std::int64_t) { return count(s.spool.events); }},
    {"oldest_age_s", "since its oldest file was begun", Kind::level, Type::real, Unit::seconds,
     [](const SelfState& s, std::int64_t wall_ns) {
       return std::optional(seconds(wall_ns - s.spool.oldest_wall_ns));
     }},
    {"damaged_records", "records that could not be read", Kind::running, Type::integer, Unit::events,
     [](const SelfState& s, std::int64_t) { return count(s.spool.damaged_records); }},
    {"uptime_s", "since the collector's start", Kind::level, Type::real, Unit::seconds,
     [](const SelfState& s, std::int64_t) {
       return std::optional(seconds(base::monotonic_ns() - s.started_ns));
     }},
};

template <class T, std::size_t N>
MeasurementPtr measurement(std::string name, std::vector<model::Key> keys, std::string help,
                           const Told<T> (&told)[N]) {
  model::Measurement m{std::move(name), std::move(keys), {}, std::move(help)};
  for (const Told<T>& t : told) m.fields.push_back({t.name, t.kind, t.type, t.unit, 0, false, t.help, {}});
  return std::make_shared<const model::Measurement>(std::move(m));
}

const MeasurementPtr& router_measurement() {
  static const MeasurementPtr m =
      measurement("collector_router", {}, "how the collection from a router goes", kRouter);
  return m;
}
const MeasurementPtr& sink_measurement() {
  static const MeasurementPtr m =
      measurement("collector_sink", {{"sink", true, false, "kind and address of the store"}},
                  "how a store keeps up", kSink);
  return m;
}
const MeasurementPtr& spool_measurement() {
  static const MeasurementPtr m =
      measurement("collector_spool", {}, "what waits between the routers and the stores", kSpool);
  return m;
}

template <class T, std::size_t N>
void tell(model::EventBuilder& builder, const T& of, std::int64_t wall_ns, const Told<T> (&told)[N]) {
  for (const Told<T>& t : told) {
    const std::optional<double> value = t.value(of, wall_ns);
    if (!value) continue;
    switch (t.type) {
      case Type::boolean:
        builder.boolean(t.name, *value != 0);
        break;
      case Type::real:
        builder.real(t.name, *value);
        break;
      default:
        builder.integer(t.name, static_cast<std::int64_t>(*value));
    }
  }
}

}  // namespace

std::vector<model::Event> self_events(const SelfState& state, std::int64_t wall_ns) {
  std::vector<model::Event> events;
  for (const WorkerCounts& router : state.routers) {
    model::EventBuilder builder(model::EventKind::collector,
                                std::make_shared<const model::Origin>(model::Origin{router.host, {}, {}}),
                                wall_ns);
    builder.row(router_measurement());
    tell(builder, router, wall_ns, kRouter);
    events.push_back(builder.finish());
  }
  model::EventBuilder builder(model::EventKind::collector,
                              std::make_shared<const model::Origin>(model::Origin{state.host, {}, {}}),
                              wall_ns);
  for (const sinks::SinkCounts& sink : state.sinks) {
    builder.row(sink_measurement(), {sink.name});
    tell(builder, sink, wall_ns, kSink);
  }
  builder.row(spool_measurement());
  tell(builder, state, wall_ns, kSpool);
  events.push_back(builder.finish());
  return events;
}

std::vector<MeasurementPtr> self_measurements() {
  return {router_measurement(), sink_measurement(), spool_measurement()};
}

std::string self_line(const SelfState& state) {
  std::uint64_t samples = 0, gaps = 0, lost = 0, restarts = 0, reboots = 0;
  std::size_t up = 0;
  for (const WorkerCounts& router : state.routers) {
    samples += router.samples;
    gaps += router.gaps;
    lost += router.lost_samples;
    restarts += router.restarts;
    reboots += router.reboots;
    up += router.up ? 1 : 0;
  }
  std::string line = fmt::format("{} samples of {} of {} routers", samples, up, state.routers.size());
  line += gaps == 0 ? ", no gap" : fmt::format(", {} gap(s) with {} samples", gaps, lost);
  if (restarts != 0) line += fmt::format(", {} agent restart(s)", restarts);
  if (reboots != 0) line += fmt::format(", {} reboot(s)", reboots);
  for (const sinks::SinkCounts& sink : state.sinks) {
    line += fmt::format("; {}: {} delivered", sink.name, sink.events);
    if (sink.behind != 0) line += fmt::format(", {} waiting", sink.behind);
    if (sink.rejected != 0) line += fmt::format(", {} refused", sink.rejected);
    if (sink.dropped != 0) line += fmt::format(", {} dropped", sink.dropped);
    if (sink.stopped) line += ", stopped";
  }
  return line;
}

std::vector<std::string> sink_lines(const SelfState& state) {
  std::vector<std::string> lines;
  for (const sinks::SinkCounts& sink : state.sinks) {
    lines.push_back(fmt::format("  {}: {} events delivered in {} requests, {} refused, {} dropped, {} left",
                                sink.name, sink.events, sink.batches, sink.rejected, sink.dropped,
                                sink.behind));
  }
  return lines;
}

std::string self_health(const SelfState& state, bool& ok) {
  ok = true;
  nlohmann::ordered_json json;
  json["ok"] = true;
  json["version"] = MIKROSCOPE_VERSION;
  json["uptime_s"] = seconds(base::monotonic_ns() - state.started_ns);
  for (const WorkerCounts& router : state.routers) {
    ok = ok && router.up;
    nlohmann::ordered_json one{{"host", router.host}, {"up", router.up}, {"seq", router.seq}};
    if (router.last_sample_ns != 0)
      one["last_sample_age_s"] = seconds(base::monotonic_ns() - router.last_sample_ns);
    json["routers"].push_back(one);
  }
  for (const sinks::SinkCounts& sink : state.sinks) {
    ok = ok && !sink.failing && !sink.stopped;
    nlohmann::ordered_json one{
        {"sink", sink.name}, {"behind", sink.behind}, {"failing", sink.failing || sink.stopped}};
    if (sink.failing || sink.stopped) one["error"] = sink.last_error;
    json["sinks"].push_back(one);
  }
  json["ok"] = ok;
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace mikroscope::cli
