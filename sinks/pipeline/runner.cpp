#include "sinks/pipeline/runner.h"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <chrono>

#include "base/clock.h"

namespace mikroscope::sinks {
namespace {

constexpr std::int64_t kSecond = base::kNsPerSecond;
constexpr std::int64_t kFirstBackOff = kSecond;
constexpr std::int64_t kLastBackOff = 60 * kSecond;
constexpr std::int64_t kIdle = kSecond;
constexpr int kTryLargerAfter = 200;  // batches

}  // namespace

Runner::Runner(std::unique_ptr<Sink> sink, std::unique_ptr<SpoolReader> reader, Say say)
    : sink_(std::move(sink)),
      reader_(std::move(reader)),
      say_(std::move(say)),
      name_(sink_->name()),
      batch_events_(sink_->limits().events),
      random_(std::hash<std::string>{}(name_)) {
  counts_.name = name_;
}

Runner::~Runner() {
  if (thread_.joinable()) {
    finish(1);
    sink_->interrupt();
    thread_.join();
  }
}

void Runner::start() {
  if (sink_->rewind_ns() > 0) reader_->rewind(sink_->rewind_ns());
  thread_ = std::thread([this] { run(); });
}

void Runner::finish(std::int64_t deadline_ns) {
  {
    const std::lock_guard lock(mutex_);
    finish_by_ns_ = std::max<std::int64_t>(1, deadline_ns);
  }
  wake_.notify_all();
  reader_->wake();
}

void Runner::join() {
  if (thread_.joinable()) thread_.join();
}

SinkCounts Runner::counts() const {
  const std::lock_guard lock(mutex_);
  SinkCounts counts = counts_;
  counts.behind = reader_->behind();
  counts.dropped = reader_->dropped();
  return counts;
}

void Runner::run() {
  SpoolReader::Batch batch;
  for (;;) {
    std::int64_t finish_by = 0;
    bool stopped = false;
    {
      const std::lock_guard lock(mutex_);
      finish_by = finish_by_ns_;
      stopped = counts_.stopped;
    }
    if (stopped) break;
    const std::int64_t now = base::monotonic_ns();
    if (finish_by != 0 && now >= finish_by) break;
    const BatchLimits limits = sink_->limits();
    const std::size_t want = std::min(limits.events, batch_events_);
    const bool waiting = batch.events.empty();
    const bool full = reader_->read(want, finish_by != 0 ? now : now + kIdle, batch);
    if (batch.events.empty()) {
      sink_->idle();
      if (finish_by != 0) break;
      continue;
    }
    // A first event waits for others to come with it.
    if (!full && waiting && finish_by == 0) {
      if (!wait_until(now + limits.linger_ns)) continue;
      reader_->read(want, 0, batch);
    }
    work_off(batch);
    batch.events.clear();
    batch.after.clear();
  }
  sink_->idle();
  done_.store(true);
}

void Runner::work_off(SpoolReader::Batch& batch) {
  std::size_t from = 0;
  {
    const std::lock_guard lock(mutex_);
    counts_.oldest_wall_ns = batch.events.front().wall_ns;
  }
  while (from < batch.events.size()) {
    const std::size_t to = std::min(batch.events.size(), from + batch_events_);
    if (!deliver(batch, from, to)) break;
    from = to;
  }
  const std::lock_guard lock(mutex_);
  counts_.oldest_wall_ns = 0;
}

// Repeats until it worked, by ever smaller parts where the store refuses something.
bool Runner::deliver(const SpoolReader::Batch& batch, std::size_t from, std::size_t to) {
  const std::span<const model::Event> events(batch.events.data() + from, to - from);
  for (;;) {
    const std::int64_t begin = base::monotonic_ns();
    const Delivery delivery = sink_->deliver(events);
    const std::int64_t took = base::monotonic_ns() - begin;
    switch (delivery.verdict) {
      case Delivery::Verdict::done:
        succeeded(batch, to, events.size(), delivery, took);
        return true;
      case Delivery::Verdict::retry:
        if (!back_off(delivery)) return false;
        continue;
      case Delivery::Verdict::split:
      case Delivery::Verdict::reject: {
        if (events.size() == 1) {
          refused(events.front(), delivery.why);
          reader_->ack(batch.after[from]);
          return true;
        }
        const bool split = delivery.verdict == Delivery::Verdict::split;
        const std::size_t half = (events.size() + 1) / 2;
        if (split) {
          // The size is learnt; now and then a larger one is tried again.
          batch_events_ = std::min(batch_events_, events.size() / 2);
          since_split_ = 0;
        }
        for (std::size_t at = from; at < to;) {
          const std::size_t end = std::min(to, at + (split ? batch_events_ : half));
          if (!deliver(batch, at, end)) return false;
          at = end;
        }
        return true;
      }
      case Delivery::Verdict::fatal: {
        const std::lock_guard lock(mutex_);
        counts_.stopped = counts_.failing = true;
        counts_.last_error = delivery.why;
        say_(fmt::format("{}: stopped: {}", name_, delivery.why));
        return false;
      }
    }
  }
}

void Runner::succeeded(const SpoolReader::Batch& batch, std::size_t to, std::size_t events,
                       const Delivery& delivery, std::int64_t took_ns) {
  reader_->ack(batch.after[to - 1]);
  if (++since_split_ >= kTryLargerAfter) {
    since_split_ = 0;
    batch_events_ = std::min(sink_->limits().events, batch_events_ * 2);
  }
  bool recovered = false;
  bool say_rejects = false;
  int failures = 0;
  {
    const std::lock_guard lock(mutex_);
    counts_.events += events;
    ++counts_.batches;
    counts_.rejected += delivery.rejected;
    counts_.last_done_wall_ns = base::wall_ns();
    counts_.deliver_ns = took_ns;
    recovered = counts_.failing;
    counts_.failing = false;
    counts_.oldest_wall_ns = to < batch.events.size() ? batch.events[to].wall_ns : 0;
    failures = failures_;
    failures_ = 0;
    say_rejects = delivery.rejected > 0 && rejects_said_++ == 0;
  }
  if (recovered) say_(fmt::format("{}: works again after {} attempts", name_, failures + 1));
  if (say_rejects)
    say_(fmt::format("{}: refused {} items: {} (said once; the metrics count them)", name_, delivery.rejected,
                     delivery.rejected_why));
}

void Runner::refused(const model::Event& event, const std::string& why) {
  bool say = false;
  {
    const std::lock_guard lock(mutex_);
    ++counts_.rejected;
    counts_.last_error = why;
    say = rejects_said_++ == 0;
  }
  if (say)
    say_(fmt::format(
        "{}: refuses an event of {} ({}, sample {}) for good: {} (said once; the metrics count them)", name_,
        event.origin->host, model::event_kind_name(event.kind), event.seq, why));
}

bool Runner::back_off(const Delivery& delivery) {
  std::int64_t wait = std::min(kLastBackOff, kFirstBackOff << std::min(failures_, 6));
  // Half of it by chance: many collectors must not come back in step.
  wait = wait / 2 + static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(wait / 2 + 1));
  if (delivery.retry_after_ns) wait = std::max(wait, std::min(*delivery.retry_after_ns, 10 * kLastBackOff));
  bool first = false;
  {
    const std::lock_guard lock(mutex_);
    ++counts_.retries;
    first = !counts_.failing;
    counts_.failing = true;
    counts_.last_error = delivery.why;
    ++failures_;
  }
  if (first) say_(fmt::format("{}: {}; will keep trying", name_, delivery.why));
  const std::int64_t now = base::monotonic_ns();
  if (wait_until(now + wait)) return true;
  // Told to finish: a few quick attempts instead of long waits, until the deadline.
  std::int64_t finish_by = 0;
  {
    const std::lock_guard lock(mutex_);
    finish_by = finish_by_ns_;
  }
  const std::int64_t soon = base::monotonic_ns() + kSecond / 4;
  if (soon >= finish_by) return false;
  timespec pause{0, kSecond / 4};
  nanosleep(&pause, nullptr);
  return true;
}

// True: the time came. False: finish() was called.
bool Runner::wait_until(std::int64_t monotonic_ns) {
  std::unique_lock lock(mutex_);
  const std::int64_t left = monotonic_ns - base::monotonic_ns();
  return !wake_.wait_for(lock, std::chrono::nanoseconds(std::max<std::int64_t>(0, left)),
                         [&] { return finish_by_ns_ != 0; });
}

}  // namespace mikroscope::sinks
