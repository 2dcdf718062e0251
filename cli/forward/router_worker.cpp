#include "cli/forward/router_worker.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/clock.h"
#include "base/host/duration.h"
#include "cli/forward/agent_reports.h"

namespace mikroscope::cli {
namespace {

constexpr std::int64_t kSecond = base::kNsPerSecond;
constexpr std::uint32_t kBatch = 1000;
constexpr int kClockTries = 5;
constexpr std::int64_t kSkewEvery = 60 * kSecond;
constexpr std::int64_t kSamplerEvery = 60 * kSecond;
constexpr std::int64_t kDeviceEvery = 300 * kSecond;
constexpr std::int64_t kFirstWait = kSecond;
constexpr std::int64_t kLastWait = 30 * kSecond;
constexpr std::int64_t kJump = 50'000'000;
constexpr std::int64_t kLookEvery = 2 * kSecond;

}  // namespace

RouterWorker::RouterWorker(ForwardTarget target, WorkerOptions options, sinks::Spool& spool,
                           std::unique_ptr<Stage> stage, sinks::Say say, int stop_fd)
    : target_(std::move(target)),
      options_(options),
      spool_(spool),
      stage_(std::move(stage)),
      say_(std::move(say)),
      stop_fd_(stop_fd),
      kernel_(target_.host) {
  counts_.host = target_.host;
}

RouterWorker::~RouterWorker() {
  finish();
  join();
}

void RouterWorker::start() {
  if (const auto cursor = spool_.cursor(target_.host)) {
    cursor_ = {Cursor::From::after, cursor->seq, cursor->instance};
    boot_id_ = cursor->boot_id;
    resumed_ = true;
  } else {
    cursor_.from = options_.from_start ? Cursor::From::oldest : Cursor::From::newest;
  }
  thread_ = std::thread([this] { run(); });
}

void RouterWorker::finish() {
  {
    const std::lock_guard lock(mutex_);
    finish_ = true;
  }
  wake_.notify_all();
}

void RouterWorker::join() {
  if (thread_.joinable()) thread_.join();
}

WorkerCounts RouterWorker::counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

bool RouterWorker::finishing() const {
  const std::lock_guard lock(mutex_);
  return finish_;
}

void RouterWorker::say(const std::string& line) const {
  say_(target_.host + ": " + line);
}

// False: finish() was called.
bool RouterWorker::sleep_until(std::int64_t monotonic_ns) {
  std::unique_lock lock(mutex_);
  const std::int64_t left = std::max<std::int64_t>(0, monotonic_ns - base::monotonic_ns());
  return !wake_.wait_for(lock, std::chrono::nanoseconds(left), [&] { return finish_; });
}

void RouterWorker::run() {
  for (;;) {
    const std::int64_t begun = base::monotonic_ns();
    const bool last = finishing();
    if (open_.link == nullptr && !connect()) {
      if (last || counts().gave_up) break;
      wait_ns_ = std::clamp(wait_ns_ * 2, kFirstWait, kLastWait);
      sleep_until(begun + wait_ns_);
      continue;
    }
    pull_all();
    if (last || counts().gave_up) break;
    const bool failing = failing_since_ns_ != 0;
    wait_ns_ = failing ? std::clamp(wait_ns_ * 2, kFirstWait, kLastWait) : 0;
    sleep_until(begun + (failing ? wait_ns_ : options_.poll_ns));
  }
  done_.store(true);
}

bool RouterWorker::connect() {
  auto opened = target_.options->open(stop_fd_);
  if (!opened.ok()) {
    failed(opened.error());
    return false;
  }
  open_ = std::move(*opened);
  open_.link->interrupt_on(stop_fd_);
  if (greet()) return true;
  open_.link.reset();
  return false;
}

bool RouterWorker::greet() {
  auto allowed = open_.link->check_token();
  if (!allowed.ok()) {
    failed(allowed.error());
    return false;
  }
  const auto health = open_.link->health();
  if (!health.ok()) {
    failed(health.error());
    return false;
  }
  if (cursor_.from == Cursor::From::newest) {
    cursor_ = {Cursor::From::after, health->newest_seq.value_or(0), clean_instance(health->instance)};
    boot_id_ = health->boot_id;
  }
  kernel_.begin(clean_instance(health->instance), health->boot_id);
  {
    const std::lock_guard lock(mutex_);
    counts_.rate_hz = health->rate_hz;
  }
  next_skew_ns_ = next_device_ns_ = next_sampler_ns_ = 0;
  say(fmt::format("agent {}, {} Hz, via {}{}", health->version.empty() ? "?" : health->version,
                  health->rate_hz, open_.link->describe(),
                  resumed_ ? fmt::format(", continuing behind sample {}", cursor_.seq) : ""));
  resumed_ = false;
  return true;
}

// One poll: everything that the agent has.
void RouterWorker::pull_all() {
  for (;;) {
    const std::int64_t begun = base::monotonic_ns();
    const auto more = pull(0);
    {
      const std::lock_guard lock(mutex_);
      ++counts_.pulls;
      counts_.pull_ns = base::monotonic_ns() - begun;
      if (!more.ok()) ++counts_.failed_pulls;
    }
    if (!more.ok()) {
      if (more.error().exit != base::Exit::interrupted) failed(more.error());
      // A lost local agent or router session is opened anew; a link over HTTP mends itself.
      if (open_.local && !open_.local->running()) open_ = Target{};
      return;
    }
    worked();
    if (!*more) break;
  }
  const std::int64_t now = base::monotonic_ns();
  if (now >= next_skew_ns_) measure_skew();
  if (now >= next_device_ns_) tell_device();
  if (now >= next_sampler_ns_) tell_sampler();
}

// True: there may be more at once.
base::Result<bool> RouterWorker::pull(std::uint32_t wait_ms) {
  PullRequest request{cursor_, kBatch, wait_ms, false};
  const auto result = open_.link->pull(
      request, [this](const PullResult& reply) { on_reply(reply); },
      [this](const Line& line) -> base::Result<void> {
        if (line.item != nullptr) on_item(*line.item);
        return {};
      });
  // What came before an error counts.
  if (restart_pending_ && result.ok()) on_restart(base::wall_ns());
  if (!flush()) return base::Error{"the spool has no room", "", base::Exit::interrupted};
  if (!result.ok()) return result.error();
  {
    const std::lock_guard lock(mutex_);
    counts_.malformed += result->malformed;
  }
  // A reply that held nothing readable would come again and again.
  return result->full && result->frames > 0;
}

void RouterWorker::on_reply(const PullResult& reply) {
  reply_instance_ = clean_instance(reply.instance);
  reply_boot_id_ = reply.boot_id;
  if (reply_instance_.empty()) return;
  if (cursor_.instance.empty()) {
    cursor_.instance = reply_instance_;
    if (boot_id_.empty()) boot_id_ = reply_boot_id_;
  }
  restart_pending_ = reply_instance_ != cursor_.instance;
}

void RouterWorker::on_item(const proc::Item& item) {
  // Told when the first sample of the new start is there, and dated with it.
  if (std::holds_alternative<proc::Restart>(item)) {
    restart_pending_ = true;
    return;
  }
  if (restart_pending_ && !std::holds_alternative<proc::LogRecord>(item)) {
    const auto* first = std::get_if<proc::Frame>(&item);
    on_restart(first != nullptr ? first->head.wall_ns : base::wall_ns());
  }
  if (const auto* record = std::get_if<proc::LogRecord>(&item); record != nullptr && hooks_.on_log)
    hooks_.on_log(*record);
  kernel_.take(item, base::wall_ns(), events_);
  const std::lock_guard lock(mutex_);
  if (const auto* frame = std::get_if<proc::Frame>(&item)) {
    cursor_.from = Cursor::From::after;
    cursor_.seq = frame->head.seq;
    ++counts_.samples;
    counts_.seq = frame->head.seq;
    counts_.last_sample_wall_ns = frame->head.wall_ns;
    counts_.last_sample_ns = base::monotonic_ns();
  } else if (const auto* gap = std::get_if<proc::Gap>(&item)) {
    ++counts_.gaps;
    counts_.lost_samples += gap->to - gap->from + 1;
  } else if (std::holds_alternative<proc::Trigger>(item)) {
    ++counts_.triggers;
  }
}

// The reply comes from another start of the agent than the samples before it.
void RouterWorker::on_restart(std::int64_t wall_ns) {
  restart_pending_ = false;
  const bool reboot = !reply_boot_id_.empty() && !boot_id_.empty() && reply_boot_id_ != boot_id_;
  if (reply_instance_ == cursor_.instance) return;
  kernel_.take(proc::Restart{reply_instance_, cursor_.instance, reboot}, wall_ns, events_);
  cursor_ = {Cursor::From::oldest, 0, reply_instance_};
  if (!reply_boot_id_.empty()) boot_id_ = reply_boot_id_;
  kernel_.begin(reply_instance_, boot_id_);
  {
    const std::lock_guard lock(mutex_);
    ++(reboot ? counts_.reboots : counts_.restarts);
  }
  if (reboot && hooks_.on_reboot) hooks_.on_reboot();
  say(reboot ? "the router rebooted" : "the agent restarted");
  next_skew_ns_ = next_device_ns_ = 0;
}

bool RouterWorker::flush() {
  if (events_.empty()) return true;
  std::vector<model::Event> events;
  events.swap(events_);
  sinks::RouterCursor cursor{cursor_.instance, boot_id_, cursor_.seq, base::wall_ns()};
  return append(events, &cursor);
}

void RouterWorker::take(std::vector<model::Event> events) {
  append(events, nullptr);
}

// Events of one block have one origin: a restart begins another.
bool RouterWorker::append(std::vector<model::Event>& events, const sinks::RouterCursor* cursor) {
  if (stage_) {
    const std::lock_guard lock(stage_mutex_);
    std::vector<model::Event> all;
    std::vector<model::Event> more;
    all.reserve(events.size());
    for (model::Event& event : events) {
      stage_->see(event, more);
      all.push_back(std::move(event));
      for (model::Event& one : more) all.push_back(std::move(one));
      more.clear();
    }
    events = std::move(all);
  }
  for (std::size_t from = 0; from < events.size();) {
    std::size_t to = from + 1;
    while (to < events.size() && events[to].origin->instance == events[from].origin->instance) ++to;
    const std::span<const model::Event> block(events.data() + from, to - from);
    const bool last = to == events.size();
    for (bool said = false;;) {
      const auto done = spool_.append(block, last ? cursor : nullptr);
      if (done.ok()) {
        if (said) say("the spool takes events again");
        break;
      }
      {
        const std::lock_guard lock(mutex_);
        ++counts_.append_failures;
      }
      // Meanwhile the agent's ring holds what comes.
      if (!said) say(fmt::format("{}; waiting for room ({})", done.error().what, done.error().fix));
      said = true;
      if (!sleep_until(base::monotonic_ns() + kSecond)) {
        say(fmt::format("{} events are lost: the spool has no room and the collector ends",
                        events.size() - from));
        return false;
      }
    }
    from = to;
  }
  return true;
}

void RouterWorker::measure_skew() {
  next_skew_ns_ = base::monotonic_ns() + kSkewEvery;
  const auto offset = open_.link->measure_clock(kClockTries);
  if (!offset.ok()) return;
  std::optional<std::int64_t> before;
  {
    const std::lock_guard lock(mutex_);
    before = counts_.skew_ns;
    counts_.skew_ns = offset->wall_offset_ns;
    counts_.rtt_ns = offset->rtt_ns;
  }
  if (!before || std::abs(*before - offset->wall_offset_ns) <= kJump + offset->rtt_ns / 2) return;
  {
    const std::lock_guard lock(mutex_);
    ++counts_.skew_jumps;
  }
  say(fmt::format("clock skew jumped from {:.3f} s to {:.3f} s", static_cast<double>(*before) / 1e9,
                  static_cast<double>(offset->wall_offset_ns) / 1e9));
}

void RouterWorker::tell_device() {
  next_device_ns_ = base::monotonic_ns() + kDeviceEvery;
  const auto text = open_.link->fetch("/capabilities");
  if (!text.ok()) return;
  const bool repeat = *text == capabilities_;
  capabilities_ = *text;
  if (auto event = device_event(kernel_.origin(), base::wall_ns(), *text)) {
    event->repeat = repeat;
    take({std::move(*event)});
  }
}

void RouterWorker::tell_sampler() {
  next_sampler_ns_ = base::monotonic_ns() + kSamplerEvery;
  const auto text = open_.link->fetch("/sampler");
  if (!text.ok()) return;
  if (auto event = sampler_event(kernel_.origin(), base::wall_ns(), *text)) take({std::move(*event)});
}

// Said once until it works again. A refused token never will.
void RouterWorker::failed(const base::Error& error) {
  const bool first = failing_since_ns_ == 0;
  if (first) failing_since_ns_ = base::monotonic_ns();
  const bool give_up = error.exit == base::Exit::auth || error.exit == base::Exit::usage;
  {
    const std::lock_guard lock(mutex_);
    counts_.up = false;
    counts_.exit = error.exit;
    counts_.gave_up = give_up;
  }
  if (give_up) {
    say(fmt::format("{}{}", error.what, error.fix.empty() ? "" : "\n  try: " + error.fix));
  } else if (first) {
    say(error.what + "; will keep trying");
  }
}

void RouterWorker::worked() {
  if (failing_since_ns_ != 0) {
    say(fmt::format(
        "answers again after {}",
        base::format_duration((base::monotonic_ns() - failing_since_ns_) / 100'000'000 * 100'000'000)));
    failing_since_ns_ = 0;
  }
  const std::lock_guard lock(mutex_);
  counts_.up = true;
  counts_.exit = base::Exit::ok;
}

}  // namespace mikroscope::cli
