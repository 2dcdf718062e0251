// The running collector: routers, spool and sinks, each on its own, and a main loop that looks after them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/host/result.h"
#include "cli/forward/router_worker.h"
#include "cli/forward/self_report.h"
#include "cli/forward/service.h"
#include "cli/signals.h"
#include "sinks/net/http_server.h"
#include "sinks/pipeline/runner.h"
#include "sinks/pipeline/spool.h"

namespace mikroscope::cli {

struct CollectorOptions {
  WorkerOptions worker;
  sinks::SpoolOptions spool;
  std::optional<std::int64_t> for_ns;
  std::int64_t drain_ns = 10'000'000'000;
  std::int64_t report_ns = 60'000'000'000;
  std::optional<sinks::ListenAddress> listen;  // /healthz and /metrics of the collector itself
  bool quiet = false;                          // no line every report
};

// Makes what looks at the events of one router; `last` is where an earlier run ended.
using MakeStage = std::function<std::unique_ptr<Stage>(const ForwardTarget& target,
                                                       const std::optional<sinks::RouterCursor>& last)>;

// A part that runs beside a router's worker and feeds it: the RouterOS tier.
class SideWorker {
 public:
  virtual ~SideWorker() = default;
  virtual void start() = 0;
  virtual void finish() = 0;  // ends soon; the destructor waits
  virtual void settle() {}    // the stores have ended
};
using MakeSide = std::function<std::unique_ptr<SideWorker>(RouterWorker& worker, const sinks::Say& say)>;

// A source beside or instead of routers: forward --from. `stored_up_to`: the first event that not every store
// has.
using MakeSource = std::function<base::Result<std::unique_ptr<SideWorker>>(
    sinks::Spool& spool, std::function<std::uint64_t()> stored_up_to, const sinks::Say& say)>;

enum class Ended : std::uint8_t { stopped, elapsed, reload, given_up };

class Collector {
 public:
  Collector(CollectorOptions options, std::vector<ForwardTarget> targets,
            std::vector<std::unique_ptr<sinks::Sink>> sinks, MakeStage make_stage, MakeSide make_side,
            std::function<bool()> may_reload);
  ~Collector();
  Collector(const Collector&) = delete;
  Collector& operator=(const Collector&) = delete;

  void read_from(MakeSource make_source) { make_source_ = std::move(make_source); }  // before run()
  // Until a signal, --for, or until nothing is left that could work. Exit::auth where a store or the only
  // router does not know us.
  base::Result<Ended> run(StopSignals& signals);
  base::Exit exit() const { return exit_; }

 private:
  base::Result<void> open();
  base::Result<void> check_stores(StopSignals& signals);
  base::Result<void> serve();
  Ended loop(StopSignals& signals);
  void report();
  void tell_stores(const SelfState& now);
  void end(StopSignals& signals, bool drain);
  SelfState state() const;
  void say(const std::string& line) const;

  CollectorOptions options_;
  std::vector<ForwardTarget> targets_;
  std::vector<std::unique_ptr<sinks::Sink>> sinks_;
  MakeStage make_stage_;
  MakeSide make_side_;
  std::function<bool()> may_reload_;
  MakeSource make_source_;
  ServiceManager manager_;
  std::unique_ptr<sinks::Spool> spool_;
  std::vector<std::unique_ptr<sinks::Runner>> runners_;
  std::vector<std::unique_ptr<RouterWorker>> workers_;
  std::vector<std::unique_ptr<SideWorker>> sides_;
  std::unique_ptr<SideWorker> source_;
  std::unique_ptr<sinks::HttpServer> server_;
  const std::string host_;
  int stop_fd_ = -1;
  std::int64_t started_ns_ = 0;
  base::Exit exit_ = base::Exit::ok;
};

}  // namespace mikroscope::cli
