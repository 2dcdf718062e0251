#include "cli/forward/collector.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <thread>

#include "base/clock.h"
#include "base/host/utc.h"
#include "cli/forward/host_name.h"
#include "sinks/stores/exposition.h"

namespace mikroscope::cli {
namespace {

constexpr std::int64_t kSecond = base::kNsPerSecond;
constexpr std::int64_t kMaintainEvery = kSecond;
constexpr std::int64_t kLastPull = 5 * kSecond;  // how long the last pulls may take
constexpr std::int64_t kLook = kSecond / 5;

}  // namespace

Collector::Collector(CollectorOptions options, std::vector<ForwardTarget> targets,
                     std::vector<std::unique_ptr<sinks::Sink>> sinks, MakeStage make_stage,
                     MakeSide make_side, std::function<bool()> may_reload)
    : options_(std::move(options)),
      targets_(std::move(targets)),
      sinks_(std::move(sinks)),
      make_stage_(std::move(make_stage)),
      make_side_(std::move(make_side)),
      may_reload_(std::move(may_reload)),
      host_(host_name("collector")) {}

Collector::~Collector() {
  server_.reset();
  for (const auto& worker : workers_) worker->finish();
  for (const auto& worker : workers_) worker->join();
  sides_.clear();
  source_.reset();
  workers_.clear();
  runners_.clear();
  if (stop_fd_ >= 0) close(stop_fd_);
}

// Everything for people goes to standard error: standard output may be a store.
void Collector::say(const std::string& line) const {
  const std::string text = fmt::format("{} {}\n", base::format_utc(base::wall_ns(), 0), line);
  std::fputs(text.c_str(), stderr);
}

base::Result<Ended> Collector::run(StopSignals& signals) {
  std::signal(SIGPIPE, SIG_IGN);
  started_ns_ = base::monotonic_ns();
  if (auto opened = open(); !opened.ok()) return opened.error();
  if (auto known = check_stores(signals); !known.ok()) return known.error();
  if (auto serving = serve(); !serving.ok()) return serving.error();
  // Sinks first: what a sink may still need must not be let go.
  for (const auto& runner : runners_) runner->start();
  for (const auto& worker : workers_) worker->start();
  for (const auto& side : sides_) side->start();
  if (source_) source_->start();
  manager_.tell("READY=1");
  const Ended ended = loop(signals);
  manager_.tell(ended == Ended::reload ? "RELOADING=1" : "STOPPING=1");
  end(signals, ended != Ended::reload);
  const SelfState last = state();
  say(self_line(last));
  for (const std::string& line : sink_lines(last)) say(line);
  const bool any = std::any_of(last.routers.begin(), last.routers.end(),
                               [](const WorkerCounts& r) { return r.samples != 0; });
  if (!any && !source_ && ended != Ended::reload && exit_ == base::Exit::ok) {
    const bool failing = std::any_of(last.routers.begin(), last.routers.end(),
                                     [](const WorkerCounts& r) { return r.exit != base::Exit::ok; });
    exit_ = failing ? base::Exit::failed : base::Exit::no_data;
  }
  for (const sinks::SinkCounts& sink : last.sinks) {
    if (sink.behind != 0 && options_.spool.dir.empty() && exit_ == base::Exit::ok) exit_ = base::Exit::failed;
    if (sink.stopped) exit_ = base::Exit::failed;
  }
  return ended;
}

base::Result<void> Collector::open() {
  stop_fd_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  auto spool = sinks::Spool::open(options_.spool);
  if (!spool.ok()) return spool.error();
  spool_ = std::move(*spool);
  const auto said = [this](const std::string& line) { say(line); };
  for (auto& sink : sinks_) {
    const std::string name = sink->name();
    say("store: " + name);
    runners_.push_back(std::make_unique<sinks::Runner>(std::move(sink), spool_->reader(name), said));
  }
  sinks_.clear();
  for (ForwardTarget& target : targets_) {
    auto stage = make_stage_ ? make_stage_(target, spool_->cursor(target.host)) : nullptr;
    workers_.push_back(std::make_unique<RouterWorker>(std::move(target), options_.worker, *spool_,
                                                      std::move(stage), said, stop_fd_));
    if (!make_side_) continue;
    if (auto side = make_side_(*workers_.back(), said)) sides_.push_back(std::move(side));
  }
  targets_.clear();
  if (!make_source_) return {};
  auto source = make_source_(
      *spool_,
      [this] {
        std::uint64_t behind = 0;
        for (const auto& runner : runners_) behind = std::max(behind, runner->counts().behind);
        const std::uint64_t events = spool_->counts().events;
        return events - std::min(events, behind);
      },
      said);
  if (!source.ok()) return source.error();
  source_ = std::move(*source);
  return {};
}

// A store that does not know us never will: better to hear it now. One that is down may come back.
base::Result<void> Collector::check_stores(StopSignals& signals) {
  std::vector<base::Result<std::string>> answers(runners_.size(), std::string());
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < runners_.size(); ++i)
    threads.emplace_back([&, i] { answers[i] = runners_[i]->sink().check(); });
  if (signals.count() > 0) {
    for (const auto& runner : runners_) runner->sink().interrupt();
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < answers.size(); ++i) {
    if (answers[i].ok()) continue;
    const base::Error& error = answers[i].error();
    if (error.exit == base::Exit::auth || error.exit == base::Exit::usage) return error;
    say(fmt::format("{}: {}; collecting all the same", runners_[i]->counts().name, error.what));
  }
  return {};
}

base::Result<void> Collector::serve() {
  if (!options_.listen) return {};
  sinks::HttpServer::Options options;
  options.listen = *options_.listen;
  auto server =
      sinks::HttpServer::start(options, [this](const sinks::HttpRequest& request) -> sinks::HttpReply {
        sinks::HttpReply reply;
        if (request.path == "/healthz") {
          bool ok = true;
          reply.body = self_health(state(), ok);
          reply.status = ok ? 200 : 503;
          reply.content_type = "application/json";
        } else if (request.path == "/metrics") {
          sinks::Exposition exposition(3600 * kSecond, [] { return base::monotonic_ns(); });
          const std::vector<model::Event> events = self_events(state(), base::wall_ns());
          exposition.take(events);
          const sinks::TextFormat format = sinks::format_for(request.header("accept"));
          reply.body = exposition.render(format);
          reply.content_type = sinks::content_type(format);
        } else {
          reply = {404, "text/plain; charset=utf-8", "/healthz and /metrics are here\n"};
        }
        return reply;
      });
  if (!server.ok()) return server.error();
  server_ = std::move(*server);
  say(fmt::format("health and metrics of the collector: {}/healthz, /metrics", server_->url()));
  return {};
}

Ended Collector::loop(StopSignals& signals) {
  std::int64_t next_maintain = 0;
  std::int64_t next_watchdog = 0;
  std::int64_t next_report = started_ns_ + options_.report_ns;
  int seen = 0;
  for (;;) {
    const std::int64_t now = base::monotonic_ns();
    if (signals.count() > seen) {
      seen = signals.count();
      signals.acknowledge();
      if (signals.last_signal() != SIGHUP) return Ended::stopped;
      if (options_.spool.dir.empty()) {
        say("SIGHUP: a spool in memory would be lost; going on with the configuration as it was");
      } else if (may_reload_ && may_reload_()) {
        say("SIGHUP: reading the configuration again");
        return Ended::reload;
      } else {
        say("SIGHUP: the configuration is wrong (see above); going on with it as it was");
      }
    }
    if (options_.for_ns && now - started_ns_ >= *options_.for_ns) return Ended::elapsed;
    if (now >= next_maintain) {
      next_maintain = now + kMaintainEvery;
      spool_->maintain();
      const SelfState state_now = state();
      const auto gave_up = [](const WorkerCounts& r) { return r.gave_up; };
      const auto stopped = [](const sinks::SinkCounts& s) { return s.stopped; };
      if (!state_now.routers.empty() &&
          std::all_of(state_now.routers.begin(), state_now.routers.end(), gave_up)) {
        exit_ = state_now.routers.front().exit;
        return Ended::given_up;
      }
      if (std::all_of(state_now.sinks.begin(), state_now.sinks.end(), stopped)) {
        say("no store is left that works");
        exit_ = base::Exit::failed;
        return Ended::given_up;
      }
    }
    if (manager_.watchdog_ns() > 0 && now >= next_watchdog) {
      next_watchdog = now + manager_.watchdog_ns();
      manager_.tell("WATCHDOG=1");
    }
    if (now >= next_report) {
      next_report += options_.report_ns;
      report();
    }
    pollfd fd{signals.fd(), POLLIN, 0};
    ::poll(&fd, 1, static_cast<int>(kLook / 1'000'000));
  }
}

void Collector::report() {
  const SelfState now = state();
  if (!options_.quiet) say(self_line(now));
  manager_.tell("STATUS=" + self_line(now));
  tell_stores(now);
}

void Collector::tell_stores(const SelfState& now) {
  for (const model::Event& event : self_events(now, base::wall_ns()))
    [[maybe_unused]] const auto kept = spool_->append({&event, 1}, nullptr);
}

// Last pulls, then what the stores still take until the deadline; a second signal ends it at once.
void Collector::end(StopSignals& signals, bool drain) {
  const int signals_before = signals.count();
  const auto wait = [&](std::int64_t deadline, const auto& finished) {
    while (!finished() && base::monotonic_ns() < deadline && signals.count() == signals_before) {
      pollfd fd{signals.fd(), POLLIN, 0};
      ::poll(&fd, 1, 20);
    }
  };
  for (const auto& side : sides_) side->finish();
  if (source_) source_->finish();
  for (const auto& worker : workers_) worker->finish();
  wait(base::monotonic_ns() + kLastPull, [&] {
    return std::all_of(workers_.begin(), workers_.end(), [](const auto& w) { return w->finished(); });
  });
  eventfd_write(stop_fd_, 1);
  // Workers call what runs beside them until they have ended.
  for (const auto& worker : workers_) worker->join();
  sides_.clear();

  tell_stores(state());
  const std::int64_t deadline = base::monotonic_ns() + (drain ? options_.drain_ns : kSecond);
  for (const auto& runner : runners_) runner->finish(deadline);
  const auto drained = [&] {
    return std::all_of(runners_.begin(), runners_.end(), [](const auto& r) { return r->finished(); });
  };
  wait(deadline, drained);
  if (!drained()) {
    for (const auto& runner : runners_) {
      runner->finish(1);
      runner->sink().interrupt();
    }
  }
  for (const auto& runner : runners_) runner->join();
  if (source_) source_->settle();
  spool_->maintain();
}

SelfState Collector::state() const {
  SelfState state;
  state.host = host_;
  state.started_ns = started_ns_;
  for (const auto& worker : workers_) state.routers.push_back(worker->counts());
  for (const auto& runner : runners_) state.sinks.push_back(runner->counts());
  state.spool = spool_->counts();
  return state;
}

}  // namespace mikroscope::cli
