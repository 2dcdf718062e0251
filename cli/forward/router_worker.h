// One agent, pulled by a thread of its own: samples to the spool, and with them where they continue.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "cli/agent_link.h"
#include "cli/forward/stage.h"
#include "cli/forward/targets.h"
#include "sinks/kernel/kernel_events.h"
#include "sinks/pipeline/runner.h"
#include "sinks/pipeline/spool.h"

namespace mikroscope::cli {

struct WorkerOptions {
  std::int64_t poll_ns = 500'000'000;
  bool from_start = false;  // without a cursor: begin with what the agent still remembers
};

struct WorkerCounts {
  std::string host;
  bool up = false;       // the last pull worked
  bool gave_up = false;  // it never will: a wrong token
  base::Exit exit = base::Exit::ok;
  std::uint64_t samples = 0;
  std::uint64_t gaps = 0;
  std::uint64_t lost_samples = 0;
  std::uint64_t restarts = 0;
  std::uint64_t reboots = 0;
  std::uint64_t triggers = 0;
  std::uint64_t pulls = 0;
  std::uint64_t failed_pulls = 0;
  std::uint64_t malformed = 0;
  std::uint64_t skew_jumps = 0;
  std::uint64_t append_failures = 0;
  std::int64_t last_sample_wall_ns = 0;  // on the agent's clock
  std::int64_t last_sample_ns = 0;       // CLOCK_MONOTONIC here
  std::int64_t pull_ns = 0;              // how long the last one took
  std::optional<std::int64_t> skew_ns;   // the agent's clock minus ours
  std::int64_t rtt_ns = 0;
  std::uint64_t seq = 0;
  std::uint32_t rate_hz = 0;
};

// What others want to hear of a router's samples; called from its worker's thread.
struct WorkerHooks {
  std::function<void(const proc::LogRecord& record)> on_log;
  std::function<void()> on_reboot;
};

class RouterWorker {
 public:
  // `stage` may add events (detections) to what it is shown. `stop_fd` becomes readable when requests must
  // end.
  RouterWorker(ForwardTarget target, WorkerOptions options, sinks::Spool& spool, std::unique_ptr<Stage> stage,
               sinks::Say say, int stop_fd);
  ~RouterWorker();
  RouterWorker(const RouterWorker&) = delete;
  RouterWorker& operator=(const RouterWorker&) = delete;

  void hooks(WorkerHooks hooks) { hooks_ = std::move(hooks); }  // before start()
  void start();
  // Ends after one last pull.
  void finish();
  bool finished() const { return done_.load(); }
  void join();

  WorkerCounts counts() const;
  const std::string& host() const { return target_.host; }
  const ForwardTarget& target() const { return target_; }
  sinks::KernelEvents& kernel() { return kernel_; }
  // Events of the router that come from elsewhere (the RouterOS tier), through the same stage. Any thread.
  void take(std::vector<model::Event> events);

 private:
  void run();
  bool connect();
  bool greet();
  void pull_all();
  base::Result<bool> pull(std::uint32_t wait_ms);
  void on_reply(const PullResult& reply);
  void on_item(const proc::Item& item);
  void on_restart(std::int64_t wall_ns);
  bool flush();
  bool append(std::vector<model::Event>& events, const sinks::RouterCursor* cursor);
  void measure_skew();
  void tell_device();
  void tell_sampler();
  void failed(const base::Error& error);
  void worked();
  bool sleep_until(std::int64_t monotonic_ns);
  bool finishing() const;
  void say(const std::string& line) const;

  ForwardTarget target_;
  const WorkerOptions options_;
  sinks::Spool& spool_;
  std::unique_ptr<Stage> stage_;
  std::mutex stage_mutex_;
  const sinks::Say say_;
  const int stop_fd_;
  WorkerHooks hooks_;

  std::thread thread_;
  std::atomic<bool> done_{false};
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  bool finish_ = false;
  WorkerCounts counts_;

  Target open_;
  sinks::KernelEvents kernel_;
  std::vector<model::Event> events_;  // of the reply at hand
  Cursor cursor_;
  std::string boot_id_;
  std::string reply_instance_;
  std::string reply_boot_id_;
  bool restart_pending_ = false;
  bool resumed_ = false;  // samples continue those of an earlier run
  std::string capabilities_;
  std::int64_t failing_since_ns_ = 0;
  std::int64_t wait_ns_ = 0;
  std::int64_t next_skew_ns_ = 0;
  std::int64_t next_device_ns_ = 0;
  std::int64_t next_sampler_ns_ = 0;
  std::int64_t next_look_ns_ = 0;
};

}  // namespace mikroscope::cli
