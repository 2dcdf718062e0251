#include "routeros/deploy/probe.h"

#include <fmt/format.h>

#include <algorithm>

#include "routeros/session/text.h"

namespace mikroscope::routeros {
namespace {

constexpr std::int64_t kFetchMs = 15'000;

ProbeResult unreachable_from_here(const Options& options, std::string why) {
  ProbeResult out{Reach::from_router_only, "", ""};
  out.text = fmt::format("the agent runs and answers the router, but this machine cannot reach {} ({})",
                         agent_url(options), why);
  out.fix = options.expose ? "see whether this machine is among those that --expose-from lets in; "
                             "`mikroscope record --router` "
                             "reads it through the router meanwhile"
                           : "`mikroscope record --router` reads it through the router; for the direct way "
                             "use a machine that the "
                             "router routes for, or install with --expose";
  return out;
}

// Nobody reached it: does its container run?
base::Result<ProbeResult> look_at_container(const Link& link, const Options& options, const std::string& here,
                                            const std::string& router) {
  const base::Result<std::vector<Row>> rows = tagged_containers(link, options.tag());
  if (!rows.ok()) return rows.error();
  ProbeResult out;
  const bool runs = std::any_of(rows->begin(), rows->end(), [](const Row& row) {
    return container_state(row) == ContainerState::running;
  });
  if (runs) {
    out.text = fmt::format(
        "nobody reaches the agent at {}, although its container runs; this machine: {}; the router: {}",
        agent_url(options), here, router);
    out.fix = "`mikroscope doctor` looks for a firewall rule that drops its replies";
    return out;
  }
  out.reach = Reach::not_running;
  const std::string state =
      rows->empty() ? "there is none" : std::string(state_name(container_state(rows->front())));
  const base::Error error = with_log(link, fmt::format("the container does not run ({})", state),
                                     "see the router's log: /log/print where topics~\"container\"");
  out.text = error.what;
  out.fix = error.fix;
  return out;
}

}  // namespace

std::string agent_url(const Options& options) {
  return fmt::format("http://{}:{}", options.expose ? options.lan_address : options.address(), options.port);
}

Answer<std::string> health_from_router(Session& session, const Options& options) {
  Call call;
  call.command = "/tool/fetch";
  call.attributes = {{"url", fmt::format("http://{}:{}/healthz", options.address(), options.port)},
                     {"output", "user"}};
  if (!options.token.empty())
    call.attributes.push_back({"http-header-field", "Authorization: Bearer " + options.token, true});
  call.returns = true;
  call.timeout_ms = kFetchMs;
  const Answer<std::vector<Row>> rows = session.call(call);
  if (!rows.ok()) return rows.error();
  for (auto row = rows->rbegin(); row != rows->rend(); ++row) {
    if (row->find("data")) return std::string(row->text("data"));
  }
  return Trouble(DeviceError{"the router fetched nothing", -1, "/tool/fetch"});
}

base::Result<ProbeResult> probe(const Link& link, const Options& options, const AskFromHere& ask,
                                const ProbeLimits& limits) {
  ProbeResult out;
  std::string here = "not asked";
  std::string router = "not asked";
  bool may_ask_router = true;
  std::optional<std::int64_t> router_since_ns;
  const base::Result<bool> settled = poll_until(link.pace, limits.together_ns, [&]() -> base::Result<bool> {
    const base::Result<std::string> direct = ask();
    if (direct.ok()) {
      out = {Reach::reachable, *direct, ""};
      return true;
    }
    if (direct.error().exit == base::Exit::interrupted) return direct.error();
    here = direct.error().what;
    if (router_since_ns) return link.pace.now_ns() - *router_since_ns >= limits.alone_ns;
    if (!may_ask_router) return false;
    const Answer<std::string> health = health_from_router(link.session, options);
    if (health.ok()) {
      router_since_ns = link.pace.now_ns();
      return false;
    }
    const DeviceError* const device = device_error(health.error());
    if (device == nullptr) return link.error(health.error());
    router = printable(device->message);
    may_ask_router = !device->not_permitted() && !device->no_such_command();
    return false;
  });
  if (!settled.ok()) return settled.error();
  if (out.reach == Reach::reachable) return out;
  if (router_since_ns) return unreachable_from_here(options, here);
  return look_at_container(link, options, here, router);
}

}  // namespace mikroscope::routeros
