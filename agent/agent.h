// The agent as a whole: takes its memory, opens its files, and runs one loop over a timer, signals and
// sockets.
#pragma once

#include <cstdint>
#include <string_view>

#include "agent/captures.h"
#include "agent/config.h"
#include "agent/machine.h"
#include "agent/sampler.h"
#include "agent/server.h"
#include "agent/service.h"
#include "agent/store.h"
#include "agent/subtick.h"
#include "agent/triggers.h"
#include "base/arena.h"
#include "base/file.h"

namespace mikroscope::agent {

// Exit codes of the program.
enum ExitCode : int { kExitOk = 0, kExitFailed = 1, kExitUsage = 2 };

struct AgentOptions {
  bool handle_signals = true;
  bool listen = true;
  bool timer = true;       // tests take their samples themselves
  std::int64_t port = -1;  // instead of the configured one; 0: any free one (tests)
  ServerTimes times;
};

// A few hundred kilobytes at most: an object of static storage, or of the heap in tests. A new one is zero
// bytes, so that memory of zeroes is one (program.cpp).
class Agent {
 public:
  Agent() = default;
  ~Agent();
  Agent(const Agent&) = delete;
  Agent& operator=(const Agent&) = delete;

  // Everything up to the first tick. False: `error` says on one line what is wrong. After this nothing is
  // allocated. Kernel files that sources opened stay open until the process ends.
  bool start(const Config& config, const AgentOptions& options, base::Writer& error);
  // Gives up privileges; call after start(). What could not be done is in service().sandbox.
  void lock_down();
  // Waits at most `timeout_ms` (-1: until something happens) and does what is due. False: the agent is to
  // end.
  bool turn(int timeout_ms);
  // Says goodbye to clients and ends a pending capture.
  void stop(std::string_view reason);
  int exit_code() const { return exit_code_; }

  const Config& config() const { return config_; }
  Service& service() { return service_; }
  Server& server() { return server_; }
  Store& store() { return store_; }
  Sampler& sampler() { return sampler_; }
  Captures& captures() { return captures_; }
  const MachineFacts& facts() const { return facts_; }
  // The start-up line, without '\n'.
  void describe(base::Writer& out) const;
  // Where the memory goes, several lines (-check).
  void describe_memory(base::Writer& out) const;
  // Takes one sample now; the loop does this on the timer (tests call it to have samples without waiting).
  void sample(std::int64_t due_ns, std::uint64_t missed);

 private:
  bool take_memory(base::Writer& error);
  bool plan_memory(base::Writer& error);
  bool start_loop(const AgentOptions& options, base::Writer& error);
  void on_timer();
  ClockReading read_clocks();
  void judge(const proc::FrameView& frame);

  Config config_;
  proc::Roots roots_{{}, {}, {}, false};
  char kmsg_path_[proc::kMaxPath] = {};
  MachineFacts facts_;
  base::Arena arena_;
  void* main_memory_ = nullptr;
  std::size_t main_bytes_ = 0;
  void* ring_memory_ = nullptr;
  std::size_t ring_bytes_ = 0;
  base::ReadBuffer buffer_;
  proc::Texts texts_;
  proc::Layout layout_;
  RingPlan plan_;
  Store store_;
  Sampler sampler_;
  SubtickReader subticks_;
  TriggerSet triggers_;
  TriggerEye eye_;
  Captures captures_;
  Service service_;
  Server server_;
  char sandbox_text_[160] = {};
  char facts_memory_[32 * 1024] = {};
  char facts_buffer_[32 * 1024] = {};

  base::Fd epoll_;
  base::Fd timer_;
  base::Fd signals_;
  std::int64_t grid_start_ns_ = 0;    // when expiration 0 would have been
  std::int64_t timer_period_ns_ = 0;  // of the timer: a part of a sample's period with SUBTICK
  std::uint64_t expirations_ = 0;
  std::int64_t boot_offset_ns_ = 0;
  std::int64_t boot_checked_ns_ = 0;
  std::int64_t next_expire_ns_ = 0;
  std::uint64_t announced_seq_ = 0;  // the newest sample that the server knows of
  bool more_work_ = false;
  int exit_code_ = kExitOk;
};

}  // namespace mikroscope::agent
