#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/host/duration.h"
#include "base/host/size.h"
#include "cli/forward/check.h"
#include "cli/forward/collector.h"
#include "cli/forward/kafka_worker.h"
#include "cli/forward/reload.h"
#include "cli/forward/replay.h"
#include "cli/forward/router_options.h"
#include "cli/forward/sink_options.h"
#include "cli/forward/targets.h"
#include "cli/verb.h"

namespace mikroscope::cli {
namespace {

class Forward final : public VerbRun {
 public:
  void options(OptionSet& set) override {
    targets_.declare(set);
    set.duration({.names = "--for",
                  .group = "Time",
                  .value = "D",
                  .help = "how long to collect: 90s, 10m, 1h; without it until a signal"},
                 for_ns_);
    set.flag({.names = "--from-start",
              .group = "Time",
              .help = "at the first start: begin with what the agent still remembers"},
             from_start_);
    set.duration({.names = "--poll",
                  .group = "Time",
                  .value = "D",
                  .help = "how often to ask each agent",
                  .default_text = "500ms"},
                 poll_ns_);
    set.duration(
        {.names = "--drain-timeout",
         .group = "Time",
         .value = "D",
         .help = "at the end: how long stores may still take what waits; the rest stays in the spool",
         .default_text = "10s"},
        drain_ns_);
    set.text({.names = "--spool",
              .group = "Spool",
              .value = "DIR|memory",
              .help = "where events wait for the stores",
              .default_text = "~/.local/state/mikroscope/spool"},
             spool_);
    set.text({.names = "--spool-max",
              .group = "Spool",
              .value = "SIZE",
              .help = "most that may wait; beyond it the oldest goes, counted and told",
              .default_text = "1GiB; memory: 64MiB"},
             spool_max_);
    set.duration({.names = "--spool-age",
                  .group = "Spool",
                  .value = "D",
                  .help = "longest that anything may wait; without it there is no such bound"},
                 spool_age_ns_);
    set.text({.names = "--listen",
              .group = "Output",
              .value = "[ADDR:]PORT",
              .help = "serve /healthz and /metrics of the collector itself"},
             listen_);
    set.flag({.names = "-q,--quiet", .group = "Output", .help = "no line of totals every minute"}, quiet_);
    set.flag({.names = "--check",
              .group = "Other",
              .help = "ask every store and every router whether it would work; store nothing"},
             check_);
    set.text({.names = "--from",
              .group = "Target",
              .value = "kafka://BROKER/TOPIC",
              .help = "instead of routers: what other collectors published with --to; needs --group"},
             from_);
    set.text({.names = "--group",
              .group = "Target",
              .value = "NAME",
              .help = "with --from: the consumer group; its members share the routers, and take over from "
                      "one that fails"},
             group_);
    set.text({.names = "--replay",
              .group = "Other",
              .value = "X",
              .help = "feed a recording (X.jsonl) to the stores, with its own time stamps, and end"},
             replay_);
    sinks_.declare(set);
  }

  base::Result<base::Exit> run(const Invocation& invocation) override {
    auto options = collector_options();
    if (!options.ok()) return options.error();
    if (!replay_.empty()) {
      auto sinks = sinks_.make();
      if (!sinks.ok()) return sinks.error();
      return replay(replay_, std::move(*sinks), options->drain_ns);
    }
    if (from_.empty() != group_.empty())
      return base::Error{"--from and --group go together",
                         "--from kafka://broker:9092/mikroscope --group stores", base::Exit::usage};
    base::Result<std::vector<ForwardTarget>> targets = std::vector<ForwardTarget>{};
    if (from_.empty()) targets = targets_.targets(*invocation.config);
    if (!targets.ok()) return targets.error();
    auto sinks = sinks_.make();
    if (!sinks.ok()) return sinks.error();
    if (check_) return check_all(*targets, *sinks);

    const std::uint64_t most_bytes = options->spool.max_bytes;
    StopSignals signals;
    Ended ended = Ended::stopped;
    base::Exit exit = base::Exit::ok;
    {
      Collector collector(std::move(*options), std::move(*targets), std::move(*sinks), router_stage(),
                          router_side(), [&] { return configuration_is_good(invocation.argv); });
      if (!from_.empty()) {
        auto values = sinks_.values();
        if (!values.ok()) return values.error();
        collector.read_from(
            [&, values = *values](sinks::Spool& spool, std::function<std::uint64_t()> stored_up_to,
                                  const sinks::Say& say) -> base::Result<std::unique_ptr<SideWorker>> {
              auto source = sinks::KafkaSource::open(from_, group_, values);
              if (!source.ok()) return source.error();
              return std::unique_ptr<SideWorker>(std::make_unique<KafkaWorker>(
                  std::move(*source), spool, most_bytes / 2, std::move(stored_up_to), say));
            });
      }
      auto done = collector.run(signals);
      if (!done.ok()) return done.error();
      ended = *done;
      exit = collector.exit();
    }
    if (ended == Ended::reload) return reload(invocation.argv);
    return exit;
  }

 private:
  base::Result<CollectorOptions> collector_options() const {
    CollectorOptions options;
    options.worker.poll_ns = poll_ns_.value_or(options.worker.poll_ns);
    options.worker.from_start = from_start_;
    options.for_ns = for_ns_;
    options.drain_ns = drain_ns_.value_or(options.drain_ns);
    options.quiet = quiet_;
    if (options.worker.poll_ns < 20'000'000 || options.worker.poll_ns > 30'000'000'000)
      return base::Error{"--poll: between 20ms and 30s", "", base::Exit::usage};
    // What comes from Kafka waits there.
    const bool memory = spool_ == "memory" || (spool_.empty() && !from_.empty());
    options.spool.max_bytes = memory ? std::uint64_t{64} << 20 : std::uint64_t{1} << 30;
    options.spool.max_age_ns = spool_age_ns_.value_or(0);
    if (!spool_max_.empty()) {
      const auto bytes = base::parse_size(spool_max_);
      if (!bytes.ok())
        return base::Error{"--spool-max: " + bytes.error().what, bytes.error().fix, base::Exit::usage};
      if (*bytes < (std::uint64_t{1} << 20))
        return base::Error{"--spool-max: at least 1MiB", "", base::Exit::usage};
      options.spool.max_bytes = *bytes;
    }
    if (!memory) {
      options.spool.dir = spool_;
      // A replay has a spool of its own, in memory, and a check has none.
      if (spool_.empty() && replay_.empty() && !check_) {
        auto state = make_state_directory();
        if (!state.ok()) return state.error();
        options.spool.dir = *state + "/spool";
      }
    }
    if (!listen_.empty()) {
      auto address = sinks::parse_listen(listen_);
      if (!address.ok())
        return base::Error{"--listen: " + address.error().what, address.error().fix, base::Exit::usage};
      options.listen = *address;
    }
    return options;
  }

  ForwardTargets targets_{make_router_options};
  SinkOptions sinks_;
  std::optional<std::int64_t> for_ns_;
  std::optional<std::int64_t> poll_ns_;
  std::optional<std::int64_t> drain_ns_;
  std::optional<std::int64_t> spool_age_ns_;
  std::string spool_;
  std::string spool_max_;
  std::string listen_;
  std::string replay_;
  std::string from_;
  std::string group_;
  bool from_start_ = false;
  bool quiet_ = false;
  bool check_ = false;
};

constexpr Example kExamples[] = {
    {"forward --local --stdout lp --for 10s", "what would be stored, of this machine"},
    {"forward --router home --influx http://db:8181 --influx-db net", "a router into InfluxDB"},
    {"forward --url http://192.168.88.1:9123 --prom 9124", "an agent, for Prometheus to scrape"},
    {"forward --all-routers --postgres postgresql://db/net --listen 9125",
     "every router of the configuration file, and the collector's own health"},
    {"forward --replay incident --influx http://db:8086 --influx-db lab", "a recording into a store"},
    {"forward --all-routers --postgres postgresql://db/net --check", "would it work? Nothing is stored"},
};

}  // namespace

const Verb kForwardVerb = {
    "forward",
    "collect from routers into stores, for months",
    "Pulls samples from agents, adds what RouterOS knows, looks for trouble, and hands everything to the "
    "stores that are given. "
    "Between the two stands a spool on disk: while a store is down, or this program, nothing is lost that "
    "the spool (or the agent's "
    "memory) still holds, and what is lost is counted and written into the stores.\n"
    "SIGTERM and Ctrl-C end it in order; a second one at once, and what waits stays in the spool. SIGHUP "
    "reads the configuration again. "
    "All that it says to people goes to standard error.",
    kExamples,
    make_verb<Forward>,
};

}  // namespace mikroscope::cli
