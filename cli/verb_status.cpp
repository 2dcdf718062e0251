#include <fmt/format.h>
#include <poll.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/host/duration.h"
#include "cli/router_status.h"
#include "cli/router_target.h"
#include "cli/signals.h"
#include "cli/target.h"
#include "cli/verb.h"

namespace mikroscope::cli {
namespace {

using Json = nlohmann::json;

constexpr std::int64_t kCostSpanNs = 1'200'000'000;

// Members that an older or newer agent may lack, or give in another form, are simply not shown.
const Json* member(const Json& object, std::string_view name) {
  if (!object.is_object()) return nullptr;
  const auto it = object.find(std::string(name));
  return it != object.end() && !it->is_null() ? &*it : nullptr;
}
std::string text(const Json& object, std::string_view name) {
  const Json* const m = member(object, name);
  if (m == nullptr) return {};
  return m->is_string() ? m->get<std::string>() : m->dump();
}
std::optional<double> number(const Json& object, std::string_view name) {
  const Json* const m = member(object, name);
  return m != nullptr && m->is_number() ? std::optional(m->get<double>()) : std::nullopt;
}
const Json& object_of(const Json& object, std::string_view name) {
  static const Json kNone = Json::object();
  const Json* const m = member(object, name);
  return m != nullptr && m->is_object() ? *m : kNone;
}

void row(std::string_view name, const std::string& value) {
  if (!value.empty()) fmt::print("  {:<12} {}\n", name, value);
}

std::string mib(double bytes) {
  if (bytes < 1048576) return fmt::format("{:.0f} KiB", bytes / 1024);
  return fmt::format("{:.1f} MiB", bytes / 1048576);
}

struct Facts {
  Json health;
  Json capabilities;
  Json sampler;
  std::optional<double> cpu_share;  // of one core
  double cost_span_s = 0;
  std::optional<double> rss_bytes;
};

class Status final : public VerbRun {
 public:
  void options(OptionSet& set) override {
    target_.declare(set);
    set.flag({.names = "--json", .group = "Output", .help = "everything as a JSON object"}, json_);
  }

  base::Result<base::Exit> run(const Invocation&) override {
    const StopSignals signals;
    if (target_.is_router()) return on_router(signals);
    base::Result<Target> target = target_.open(signals.fd());
    if (!target.ok()) return std::move(target).error();
    target->link->interrupt_on(signals.fd());
    base::Result<Facts> facts = gather(*target->link, signals);
    if (!facts.ok()) return std::move(facts).error();
    if (json_) {
      print_json(agent_json(*facts, *target));
    } else {
      show(*facts, *target);
    }
    return base::Exit::ok;
  }

 private:
  // One session for both halves. An agent that does not answer is a line, not a failure: what the router says
  // is what was asked for.
  base::Result<base::Exit> on_router(const StopSignals& signals) {
    base::Result<void> good = target_.check();
    if (!good.ok()) return std::move(good).error();
    base::Result<std::unique_ptr<routeros::Session>> session = target_.router().connect(signals.fd());
    if (!session.ok()) return std::move(session).error();
    const base::Result<RouterStatus> status =
        read_router_status(**session, target_.on_router().installation, signals);
    if (!status.ok()) return status.error();
    if (!json_) print_router_status(*status);
    nlohmann::ordered_json json{{"router", router_status_json(*status)}};
    if (status->shape.installed && status->runs()) {
      base::Result<Target> target =
          open_router_target(target_.router(), std::move(*session), target_.on_router(), signals.fd());
      if (target.ok()) target->link->interrupt_on(signals.fd());
      const base::Result<Facts> facts =
          target.ok() ? gather(*target->link, signals) : base::Result<Facts>(target.error());
      if (!facts.ok() && facts.error().exit == base::Exit::interrupted) return facts.error();
      if (facts.ok()) {
        json.update(agent_json(*facts, *target));
        if (!json_) show(*facts, *target);
      } else {
        json["agent_error"] = facts.error().what;
        if (!json_) fmt::print("agent: {}\n", facts.error().what);
        if (!json_ && !facts.error().fix.empty()) fmt::print("  {}\n", facts.error().fix);
      }
    }
    if (json_) print_json(json);
    return base::Exit::ok;
  }

  static void print_json(const nlohmann::ordered_json& json) {
    std::fputs((json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n").c_str(), stdout);
  }

  static base::Result<Facts> gather(AgentLink& link, const StopSignals& signals) {
    Facts out;
    base::Result<void> allowed = link.check_token();
    if (!allowed.ok()) return std::move(allowed).error();
    const base::Result<std::string> first = link.fetch("/sampler");
    const std::int64_t first_ns = base::monotonic_ns();
    const base::Result<std::string> capabilities = link.fetch("/capabilities");
    if (capabilities.ok()) out.capabilities = Json::parse(*capabilities, nullptr, false);
    // Its cost is the difference of two readings; what is asked in between would count as its own.
    pollfd stop{signals.fd(), POLLIN, 0};
    if (::poll(&stop, 1, static_cast<int>(kCostSpanNs / 1'000'000)) > 0) {
      return base::Error{"interrupted", "", base::Exit::interrupted};
    }
    const base::Result<std::string> second = link.fetch("/sampler");
    const std::int64_t second_ns = base::monotonic_ns();
    if (!second.ok()) return second.error();
    out.sampler = Json::parse(*second, nullptr, false);
    if (first.ok()) {
      const std::optional<double> before = number(Json::parse(*first, nullptr, false), "cpu_ns");
      const std::optional<double> now = number(out.sampler, "cpu_ns");
      out.cost_span_s = static_cast<double>(second_ns - first_ns) / 1e9;
      if (before && now) out.cpu_share = (*now - *before) / 1e9 / out.cost_span_s;
    }
    base::Result<Health> health = link.health();
    if (!health.ok()) return std::move(health).error();
    out.health = Json::parse(health->json, nullptr, false);
    const base::Result<std::string> sample = link.fetch("/samples?last=1");
    if (sample.ok()) {
      std::string_view rest = *sample;
      while (!rest.empty()) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        if (rest.starts_with("{\"seq\"")) {
          out.rss_bytes = number(object_of(Json::parse(rest.substr(0, end), nullptr, false), "self"), "rss");
        }
        rest.remove_prefix(std::min(end + 1, rest.size()));
      }
    }
    return out;
  }

  static nlohmann::ordered_json agent_json(const Facts& f, const Target& target) {
    nlohmann::ordered_json out;
    out["target"] = {{"kind", target.kind}, {"url", target.url}};
    out["health"] = f.health;
    nlohmann::ordered_json cost = nlohmann::ordered_json::object();
    if (f.cpu_share) cost["cpu_share_of_one_core"] = *f.cpu_share;
    if (f.cpu_share) cost["over_s"] = f.cost_span_s;
    if (f.rss_bytes) cost["rss_bytes"] = *f.rss_bytes;
    out["cost"] = cost;
    out["sampler"] = f.sampler;
    out["capabilities"] = f.capabilities;
    return out;
  }

  static void show(const Facts& f, const Target& target) {
    const Json& c = f.capabilities;
    const Json* const ok = member(f.health, "ok");
    fmt::print("agent at {}: {}\n", target.url,
               ok != nullptr && ok->is_boolean() && ok->get<bool>() ? "ok" : "not ok");
    std::string version = text(f.health, "version");
    if (!text(f.health, "instance").empty()) version += ", instance " + text(f.health, "instance");
    row("version", version);
    row("board", text(c, "board"));
    row("kernel", text(c, "kernel"));
    if (const auto cores = number(c, "cores")) row("cores", fmt::format("{:.0f}", *cores));
    if (const auto s = number(f.health, "uptime_s"))
      row("running for", base::format_duration(static_cast<std::int64_t>(*s) * base::kNsPerSecond));
    if (const auto hz = number(f.health, "rate_hz")) row("rate", fmt::format("{:.0f} Hz", *hz));
    const Json& ring = object_of(f.sampler, "ring");
    if (const auto held = number(ring, "samples")) {
      row("remembers",
          fmt::format("{:.0f} samples, {:.1f} s, {} of {}", *held, number(ring, "span_s").value_or(0),
                      mib(number(ring, "bytes").value_or(0)), mib(number(ring, "budget_bytes").value_or(0))));
    }
    const auto ticks = number(f.sampler, "ticks");
    const auto missed = number(f.sampler, "missed");
    if (ticks && missed) row("ticks", fmt::format("{:.0f}, {:.0f} missed", *ticks, *missed));
    row("sandbox", text(c, "sandbox"));
    std::string cost;
    if (f.cpu_share)
      cost = fmt::format("{:.2f} % of one core (over {:.1f} s)", *f.cpu_share * 100, f.cost_span_s);
    if (f.rss_bytes) cost += fmt::format("{}{} resident", cost.empty() ? "" : ", ", mib(*f.rss_bytes));
    row("cost", cost);
    const Json& sources = object_of(c, "sources");
    if (sources.empty()) return;
    fmt::print("\n  {:<12} {:<10} {:>9}  {}\n", "source", "state", "Hz", "what");
    for (const auto& [name, source] : sources.items()) {
      const Json& cadence = object_of(source, "cadence");
      std::string hz;
      if (const auto value = number(cadence, "hz")) hz = fmt::format("{:g}", *value);
      const std::string reason = text(cadence, "reason");
      std::string what = text(source, "help");
      if (!reason.empty() && reason != "rate") what += fmt::format(" (slower: {})", reason);
      fmt::print("  {:<12} {:<10} {:>9}  {}\n", name, text(source, "status"), hz, what);
    }
  }

  TargetOptions target_;
  bool json_ = false;
};

constexpr Example kExamples[] = {
    {"status --local", "what an agent can read on this machine, and what it costs"},
    {"status --url http://192.168.88.1:9123", "an agent that can be reached"},
    {"status --router admin@192.168.88.1",
     "what is installed on a router, whether it is whole, and how its agent does"},
};

}  // namespace

const Verb kStatusVerb{
    "status",
    "show an agent's health, sources and cost",
    "With --router first what is installed there: its record, which of its objects are there, what is left "
    "over, and "
    "the router's log lines when the agent does not run.",
    kExamples,
    make_verb<Status>,
};

}  // namespace mikroscope::cli
