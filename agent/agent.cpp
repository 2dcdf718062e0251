#include "agent/agent.h"

#include <errno.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <new>

#include "agent/sandbox.h"
#include "base/clock.h"
#include "proc/file_source.h"

namespace mikroscope::agent {
namespace {

constexpr std::uint64_t kTimerTag = 1;
constexpr std::uint64_t kSignalTag = 2;
constexpr std::uint32_t kTextCount = 4096;
constexpr std::size_t kTextBytes = 256 * 1024;
constexpr std::size_t kSourceBytes =
    4 * 1024 * 1024;  // what sources may take for themselves; mostly never touched
constexpr std::int64_t kBootCheck_ns = 10 * base::kNsPerSecond;
constexpr std::int64_t kBootMoved_ns = 1'000'000;     // less is the distance between two clock readings
constexpr std::uint64_t kProgramBytes = 1024 * 1024;  // program, stack, tables of an ordinary machine
constexpr std::uint64_t kClientBytes = 192 * 1024;    // of one busy client
constexpr std::uint64_t kMiB = 1024 * 1024;

std::uint32_t frames_per_base(std::uint32_t rate_hz) {
  return rate_hz > 64 ? rate_hz : 64;
}

// Makes a member anew in its place: an assignment would make it elsewhere first.
template <class T, class... Args>
void renew(T& member, Args&&... args) {
  member.~T();
  new (&member) T(args...);
}

void put_mib(std::uint64_t bytes, base::Writer& out) {
  out.fixed(static_cast<std::int64_t>(bytes * 10 / kMiB), 1);
  out.put(" MiB");
}

bool too_small(std::string_view for_what, base::Writer& error) {
  error.print("internal error: the arena is too small%s", for_what);
  return false;
}

// strerror() would bring the texts of all errors.
void put_errno(base::Writer& out, int error) {
  struct Text {
    unsigned char error;
    const char* text;
  };
  static constexpr Text kTexts[] = {{EADDRINUSE, "address in use"},
                                    {EADDRNOTAVAIL, "no such address on this machine"},
                                    {EAFNOSUPPORT, "address family not supported"},
                                    {EACCES, "permission denied"},
                                    {EPERM, "not permitted"},
                                    {EINVAL, "invalid"},
                                    {EMFILE, "too many open files"},
                                    {ENOMEM, "out of memory"},
                                    {ENOSYS, "not supported by this kernel"}};
  for (const Text& t : kTexts) {
    if (t.error != error) continue;
    out.put(": ");
    out.put(std::string_view(t.text));
    return;
  }
  out.put(": error ");
  out.i64(error);
}

}  // namespace

Agent::~Agent() {
  if (main_memory_ != nullptr) base::unmap_pages(main_memory_, main_bytes_);
  if (ring_memory_ != nullptr) base::unmap_pages(ring_memory_, ring_bytes_);
}

// One block for everything but the ring and the captures, whose size follows from what the first reading
// finds.
bool Agent::take_memory(base::Writer& error) {
  // Facts are read with a small buffer: how many CPUs there are decides how large the rest must be.
  base::Arena facts_arena(facts_memory_, sizeof facts_memory_);
  read_facts(roots_, facts_arena, {facts_buffer_, sizeof facts_buffer_}, facts_);

  const auto tables = proc::all_tables();
  const proc::Schema* schemas[proc::kMaxTables] = {};
  std::uint32_t capacities[proc::kMaxTables] = {};
  std::uint64_t slots = 0;
  std::uint64_t rows = 0;
  for (std::size_t i = 0; i < tables.size(); ++i) {
    schemas[i] = tables[i].schema;
    capacities[i] = tables[i].schema->keys.empty() ? 1 : tables[i].capacity(facts_.machine);
    slots += static_cast<std::uint64_t>(capacities[i]) * tables[i].schema->columns.size();
    rows += capacities[i];
  }
  const std::size_t read_bytes = 256 * 1024 + facts_.machine.possible_cpus * 16 * 1024;
  // Above line_bound(): per row its keys' names and values, per slot a column's.
  const std::uint64_t line_bytes = rows * 320 + slots * 48;
  // A slot is 9 bytes in a state and in a track, 18 in a decoder, and 22 in the recorder's room for a group.
  const std::uint64_t total = slots * (9 * 4 + 18 * (Store::kDecoders + 1) + 24) + rows * 96 +
                              kTextCount * 32 + kTextBytes + read_bytes + kSourceBytes +
                              facts_.machine.possible_cpus * 64 * 1024 +
                              kConnections * (640 * 1024 + 2 * line_bytes) + 4 * kMiB;
  if (total > SIZE_MAX / 2) {
    error.put("this machine has more CPUs than the agent has address space for");
    return false;
  }
  main_bytes_ = static_cast<std::size_t>(total);
  main_memory_ = base::map_pages(main_bytes_);
  if (main_memory_ == nullptr) {
    error.put("no address space for ");
    put_mib(total, error);
    return false;
  }
  arena_ = base::Arena(main_memory_, main_bytes_);
  buffer_ = {static_cast<char*>(arena_.take(read_bytes, 4096)), read_bytes};
  texts_ = proc::Texts(arena_, kTextCount, kTextBytes);
  layout_ = proc::make_layout(arena_, {schemas, tables.size()}, {capacities, tables.size()}, &texts_);
  if (buffer_.data == nullptr || layout_.tables == nullptr) {
    return too_small({}, error);
  }
  return true;
}

bool Agent::plan_memory(base::Writer& error) {
  std::uint64_t used_cells = 0;
  for (const proc::Table& t : layout_.all()) used_cells += t.used_slots();
  const std::uint64_t keep = static_cast<std::uint64_t>(config_.rate_hz) * config_.buffer_s;
  const std::uint32_t per_base = frames_per_base(config_.rate_hz);
  if (void* const place = arena_.take(sizeof(Recorder), alignof(Recorder)); place != nullptr)
    store_.recorder = new (place) Recorder(arena_, layout_, per_base);
  if (store_.recorder == nullptr || !store_.recorder->usable()) {
    return too_small(" for the recorder", error);
  }
  store_.recorder->prime(sampler_.state());  // a base of zeroes would be planned much too small
  const std::uint64_t base_bytes = store_.recorder->base_bytes();
  plan_ = plan_ring(keep, per_base, used_cells, base_bytes);
  const std::uint64_t piece = (plan_.stride - plan_.nominal + 16 * 1024 + 4095) / 4096 * 4096;
  const std::uint64_t pieces = config_.capture_mb * kMiB / piece;
  MemoryPlan& memory = service_.memory;
  memory.ring_bytes = plan_.bytes;
  memory.capture_bytes = pieces * piece;
  memory.fixed_bytes = kProgramBytes + used_cells * 100 + kMaxClients * kClientBytes;
  std::uint64_t limit = facts_.memory_limit.bytes;
  std::string_view from = facts_.memory_limit.from;
  if (limit == 0) {
    limit = facts_.memory_total;
    from = "the memory of this machine";
  }
  const std::uint64_t index = plan_.chunks * 64 + pieces * 16 + sizeof(Capture) * kMaxCaptures;
  const std::uint64_t mapped = plan_.bytes + memory.capture_bytes + index + 64 * 1024;
  if ((limit != 0 && memory.total() + index > limit) || mapped > SIZE_MAX / 2) {
    error.print("a ring of %u Hz x %u s takes up to ", config_.rate_hz, config_.buffer_s);
    put_mib(plan_.bytes, error);
    error.put(", captures ");
    put_mib(memory.capture_bytes, error);
    error.put(", the rest ");
    put_mib(memory.fixed_bytes + index, error);
    error.put(": ");
    put_mib(memory.total() + index, error);
    error.put(" in all, but the limit is ");
    put_mib(limit, error);
    error.print(" (%s): lower RATE_HZ, BUFFER_S or CAPTURE_MB, or raise the limit", from);
    return false;
  }
  ring_bytes_ = static_cast<std::size_t>(mapped);
  ring_memory_ = base::map_pages(ring_bytes_);
  if (ring_memory_ == nullptr) {
    error.put("the kernel gives no address space of ");
    put_mib(mapped, error);
    error.put(" for the ring");
    return false;
  }
  base::Arena memory_arena(ring_memory_, ring_bytes_);
  char* const ring = static_cast<char*>(memory_arena.take(static_cast<std::size_t>(plan_.bytes), 4096));
  char* const captures =
      static_cast<char*>(memory_arena.take(static_cast<std::size_t>(memory.capture_bytes), 4096));
  renew(store_.ring, memory_arena,
        ChunkPool(memory_arena, ring, static_cast<std::size_t>(plan_.nominal),
                  static_cast<std::size_t>(plan_.stride), static_cast<std::uint32_t>(plan_.chunks)),
        keep);
  CaptureSettings settings;
  settings.keep_last = config_.capture_policy == "last";
  settings.pre_ticks = static_cast<std::uint64_t>(config_.capture_pre_s) * config_.rate_hz;
  settings.post_ticks = static_cast<std::uint64_t>(config_.capture_post_s) * config_.rate_hz;
  settings.refractory_ticks = static_cast<std::uint64_t>(config_.trigger_refractory_s) * config_.rate_hz;
  renew(captures_, memory_arena,
        ChunkPool(memory_arena, captures, static_cast<std::size_t>(piece), static_cast<std::size_t>(piece),
                  static_cast<std::uint32_t>(pieces)),
        settings);
  for (StandingDecoder& d : store_.decoders) renew(d.decoder, arena_, layout_);
  renew(store_.capture_decoder, arena_, layout_);
  if (memory_arena.refused() || !store_.capture_decoder.usable()) {
    return too_small(" for the ring", error);
  }
  return true;
}

ClockReading Agent::read_clocks() {
  ClockReading now;
  now.monotonic_ns = base::monotonic_ns();
  now.wall_ns = base::wall_ns();
  if (boot_checked_ns_ == 0 || now.monotonic_ns - boot_checked_ns_ >= kBootCheck_ns) {
    // The two clocks part only when the machine sleeps; a smaller difference is the time between the two
    // calls.
    const std::int64_t offset = base::boot_ns() - base::monotonic_ns();
    const std::int64_t moved = offset - boot_offset_ns_;
    if (boot_checked_ns_ == 0 || moved > kBootMoved_ns || moved < -kBootMoved_ns) boot_offset_ns_ = offset;
    boot_checked_ns_ = now.monotonic_ns;
  }
  now.boot_offset_ns = boot_offset_ns_;
  return now;
}

bool Agent::start(const Config& config, const AgentOptions& options, base::Writer& error) {
  config_ = config;
  roots_ = {config_.proc_root, config_.sys_root, "/dev/kmsg", config_.proc_root == "/proc"};
  if (!roots_.live) {
    const std::size_t slash =
        config_.proc_root.find_last_not_of('/') == std::string_view::npos
            ? 0
            : config_.proc_root.substr(0, config_.proc_root.find_last_not_of('/') + 1).rfind('/');
    const std::string_view parent = config_.proc_root.substr(0, slash == std::string_view::npos ? 0 : slash);
    proc::join_path(parent, "dev/kmsg", kmsg_path_);
    roots_.kmsg = kmsg_path_;
  }
  if (!parse_triggers(config_.triggers, triggers_, error) || !take_memory(error)) return false;
  if (!sampler_.start(config_, roots_, layout_, arena_, buffer_) ||
      !subticks_.start(config_, roots_, arena_, buffer_, facts_.machine)) {
    return too_small(" for the sources", error);
  }
  for (const SourceState& s : sampler_.sources()) {
    if (!s.mandatory || s.open()) continue;
    error.print("%s/stat cannot be read (%s): the agent needs a proc file system; see PROC_ROOT", roots_.proc,
                proc::read_status_name(s.status));
    return false;
  }
  renew(eye_, layout_);
  sampler_.prime(read_clocks(), nullptr);
  if (!plan_memory(error)) return false;
  store_.layout = &layout_;
  store_.facts = &facts_;
  store_.rate_hz = config_.rate_hz;
  store_.schema_hash = proc::schema_hash(layout_);
  service_.config = &config_;
  service_.facts = &facts_;
  service_.store = &store_;
  service_.sampler = &sampler_;
  service_.captures = &captures_;
  service_.triggers = &triggers_;
  service_.events = store_.recorder;
  service_.started_monotonic_ns = base::monotonic_ns();
  service_.sandbox = "off";
  return start_loop(options, error);
}

bool Agent::start_loop(const AgentOptions& options, base::Writer& error) {
  epoll_ = base::Fd(epoll_create1(EPOLL_CLOEXEC));
  timer_ = base::Fd(timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC));
  if (!epoll_ || !timer_) {
    error.put("epoll or timerfd");
    put_errno(error, errno);
    return false;
  }
  const auto add = [&](int fd, std::uint64_t tag) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = tag;
    return epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) == 0;
  };
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGPIPE);  // a closed pipe is an error of write(), not the end
  sigprocmask(SIG_BLOCK, &set, nullptr);
  if (options.handle_signals) {
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigprocmask(SIG_BLOCK, &set, nullptr);
    signals_ = base::Fd(signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC));
    if (!signals_ || !add(signals_.get(), kSignalTag)) {
      error.put("signalfd");
      put_errno(error, errno);
      return false;
    }
  }
  ServerTimes times = options.times;
  constexpr std::int64_t kCalm_ns = 100'000'000;
  if (options.timer && sampler_.period_ns() <= kCalm_ns) times.calm_ns = kCalm_ns;
  if (!server_.start(service_, arena_, line_bound(layout_), epoll_.get(), times)) {
    return too_small(" for the clients", error);
  }
  if (options.listen) {
    const std::uint32_t port = options.port >= 0 ? static_cast<std::uint32_t>(options.port) : config_.port;
    if (const int failed = server_.listen_on(config_.addr, port); failed != 0) {
      error.print("listen on %s, port %u",
                  config_.addr.empty() ? std::string_view("every address") : config_.addr, port);
      put_errno(error, failed);
      error.put(failed == EADDRINUSE ? "; choose another PORT" : "; see ADDR and PORT");
      return false;
    }
  }
  // The grid begins at the first reading: sample 1 covers one period.
  timer_period_ns_ = sampler_.period_ns() / (subticks_.on() ? subticks_.parts() : 1);
  grid_start_ns_ = base::monotonic_ns();
  if (!options.timer) return true;
  const std::int64_t first = grid_start_ns_ + timer_period_ns_;
  itimerspec when{};
  when.it_interval.tv_sec = static_cast<time_t>(timer_period_ns_ / base::kNsPerSecond);
  when.it_interval.tv_nsec = static_cast<long>(timer_period_ns_ % base::kNsPerSecond);
  when.it_value.tv_sec = static_cast<time_t>(first / base::kNsPerSecond);
  when.it_value.tv_nsec = static_cast<long>(first % base::kNsPerSecond);
  if (timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &when, nullptr) != 0 ||
      !add(timer_.get(), kTimerTag)) {
    error.put("timerfd");
    put_errno(error, errno);
    return false;
  }
  if (subticks_.on()) subticks_.read(grid_start_ns_);
  return true;
}

void Agent::lock_down() {
  base::Writer report(sandbox_text_, sizeof sandbox_text_);
  enter_sandbox(report);
  service_.sandbox = report.view();
}

void Agent::judge(const proc::FrameView& frame) {
  const TickFacts facts{sampler_.period_ns(), store_.recorder->least_log_level()};
  for (Trigger& trigger : triggers_.all()) {
    Cause cause;
    if (!eye_.holds(trigger, frame, facts, cause)) continue;
    cause.seq = frame.head.seq;
    cause.boot_ns = frame.head.boot_ns;
    cause.wall_ns = frame.head.wall_ns;
    captures_.fire(trigger, cause, store_.ring, *store_.recorder);
  }
}

void Agent::sample(std::int64_t due_ns, std::uint64_t missed) {
  ClockReading now = read_clocks();
  if (sampler_.clock().wall_step(now) != 0) {
    // Being held up between the two clock readings looks like a step: only one that stays is one.
    now = read_clocks();
    if (const std::int64_t step = sampler_.clock().wall_step(now); step != 0) {
      ++sampler_.stats().clock_steps;
      char line[160];
      base::Writer w(line, sizeof line);
      w.print("{\"clock\":{\"seq\":%u,\"step_ns\":%d,\"wall_ns\":%d}}", store_.ring.newest() + 1, step,
              now.wall_ns);
      store_.recorder->event(w.view());
    }
  }
  sampler_.tick(store_.ring.newest() + 1, now, due_ns, missed, store_.recorder);
  if (subticks_.on()) subticks_.flush(layout_, sampler_.state());
  if (triggers_.count != 0) judge(store_.recorder->view(sampler_.state()));
  if (store_.recorder->commit(sampler_.state(), store_.ring)) captures_.advance(store_.ring);
}

void Agent::on_timer() {
  std::uint64_t count = 0;
  if (read(timer_.get(), &count, sizeof count) != static_cast<ssize_t>(sizeof count) || count == 0) return;
  const std::uint32_t parts = subticks_.on() ? subticks_.parts() : 1;
  const std::uint64_t before = expirations_ / parts;
  expirations_ += count;
  const std::uint64_t ticks = expirations_ / parts - before;
  if (subticks_.on()) subticks_.read(base::monotonic_ns());
  if (ticks == 0) return;
  const auto due = static_cast<std::int64_t>(expirations_ / parts * parts);
  sample(grid_start_ns_ + due * timer_period_ns_, ticks - 1);
}

bool Agent::turn(int timeout_ms) {
  epoll_event events[16];
  if (more_work_) timeout_ms = 0;
  if (server_.waits()) {
    const std::int64_t left_ms = (server_.first_deadline_ns() - base::monotonic_ns()) / 1000000 + 1;
    const int bounded = left_ms < 0 ? 0 : left_ms > 60000 ? 60000 : static_cast<int>(left_ms);
    if (timeout_ms < 0 || bounded < timeout_ms) timeout_ms = bounded;
  }
  const int ready = epoll_wait(epoll_.get(), events, std::size(events), timeout_ms);
  if (ready < 0 && errno != EINTR) {
    exit_code_ = kExitFailed;
    return false;
  }
  bool go_on = true;
  for (int i = 0; i < ready; ++i) {
    if (events[i].data.u64 == kTimerTag) on_timer();
  }
  const std::int64_t now = base::monotonic_ns();
  if (store_.ring.newest() != announced_seq_) server_.on_sample(now);
  announced_seq_ = store_.ring.newest();
  for (int i = 0; i < ready; ++i) {
    const std::uint64_t tag = events[i].data.u64;
    if (tag == kSignalTag) {
      go_on = false;
    } else if (tag != kTimerTag) {
      server_.on_event(tag, events[i].events, now);
    }
  }
  if (now >= next_expire_ns_ || server_.waits()) next_expire_ns_ = server_.expire(now);
  more_work_ = server_.work(now);
  if (!sampler_.fatal_source().empty()) {
    exit_code_ = kExitFailed;
    return false;
  }
  return go_on;
}

void Agent::stop(std::string_view reason) {
  captures_.finish();
  server_.stop(reason);
}

void Agent::describe(base::Writer& out) const {
  out.print("mikroscope-agent %s", kVersion);
  if (!facts_.board.empty()) out.print(" on %s", facts_.board);
  out.print(", kernel %s, %u cores: %u Hz, ring %u s in at most ", facts_.kernel, facts_.online_cpus,
            config_.rate_hz, config_.buffer_s);
  put_mib(service_.memory.ring_bytes, out);
  out.print(", port %u%s, captures %u MiB, triggers %j, sources", server_.port(),
            config_.token.empty() ? std::string_view(", no token") : std::string_view(", token asked for"),
            config_.capture_mb, config_.triggers);
  for (const SourceState& s : sampler_.sources()) {
    if (s.open()) out.print(" %s", s.def->name);
  }
  out.print(", sandbox: %s", service_.sandbox);
}

void Agent::describe_memory(base::Writer& out) const {
  const MemoryPlan& memory = service_.memory;
  out.put("memory, at most:\n  ring      ");
  put_mib(memory.ring_bytes, out);
  out.print("  (%u samples, planned at %u bytes each, in %u chunks of %u)\n  captures  ",
            static_cast<std::uint64_t>(config_.rate_hz) * config_.buffer_s, plan_.frame_bytes, plan_.chunks,
            plan_.stride);
  put_mib(memory.capture_bytes, out);
  out.put("\n  the rest  ");
  put_mib(memory.fixed_bytes, out);
  out.put("\n  in all    ");
  put_mib(memory.total(), out);
  if (facts_.memory_limit.bytes != 0) {
    out.put(" of ");
    put_mib(facts_.memory_limit.bytes, out);
    out.print(" (%s)", facts_.memory_limit.from);
  }
  out.put('\n');
}

}  // namespace mikroscope::agent
