#include "cli/recorder.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>

#include "base/clock.h"
#include "base/host/duration.h"
#include "base/host/utc.h"
#include "proc/ndjson.h"

namespace mikroscope::cli {
namespace {

constexpr std::int64_t kSecond = base::kNsPerSecond;
constexpr std::uint32_t kBatch = 1000;
constexpr int kClockTries = 5;
constexpr std::int64_t kClockEveryNs = 60 * kSecond;
constexpr std::int64_t kStalledAfterNs = 2 * kSecond;
constexpr std::int64_t kLookEveryNs = 2 * kSecond;
constexpr std::int64_t kCaptureEveryNs = 15 * kSecond;
constexpr std::int64_t kLateNs = 3 * kSecond;  // how long the last samples of --for may take to come
constexpr int kDrainPulls = 1000;
constexpr std::int64_t kGiveUpNs = 5 * kSecond;  // a request during which nothing comes

}  // namespace

Recorder::Recorder(RecorderOptions options, Target& target, plot::RecordingWriter& writer,
                   MarkerInput& markers, StopSignals& signals, StatusLine& status)
    : options_(std::move(options)),
      target_(target),
      writer_(writer),
      markers_(markers),
      signals_(signals),
      status_(status),
      link_(*target.link) {}

base::Result<base::Exit> Recorder::run() {
  link_.interrupt_on(signals_.fd());
  link_.while_waiting([this](std::int64_t quiet_ns) { return while_waiting(quiet_ns); }, markers_.fd());
  base::Result<void> outcome = greet();
  if (outcome.ok()) outcome = loop();
  base::Result<base::Exit> exit = complete(outcome);
  link_.while_waiting({}, -1);
  return exit;
}

base::Result<void> Recorder::greet() {
  base::Result<void> allowed = link_.check_token();
  if (!allowed.ok()) return allowed;
  const base::Result<std::string> capabilities = link_.fetch("/capabilities");
  if (capabilities.ok()) capabilities_ = *capabilities;
  measure_clock(kClockTries);
  // The recording begins here. What the agent has by then is older, so its newest is asked for last: over a
  // relay the requests before take seconds.
  const std::int64_t now_ns = base::monotonic_ns();
  const std::int64_t now_wall_ns = base::wall_ns();
  const std::int64_t now_boot_ns = base::boot_ns();
  base::Result<Health> health = link_.health();
  if (!health.ok()) return std::move(health).error();
  health_ = std::move(*health);
  if (health_.rate_hz == 0) {
    // A minimal /healthz leaves the rate to /capabilities.
    const auto json = nlohmann::json::parse(capabilities_, nullptr, false);
    if (json.is_object() && json.contains("rate_hz") && json["rate_hz"].is_number_unsigned()) {
      health_.rate_hz = json["rate_hz"].get<std::uint32_t>();
    }
  }
  cursor_.instance = clean_instance(health_.instance);
  boot_id_ = health_.boot_id;
  tally_.instance(cursor_.instance);
  cursor_.from = options_.from_start ? Cursor::From::oldest : Cursor::From::newest;
  if (!options_.from_start && health_.newest_seq) {
    cursor_.from = Cursor::From::after;
    cursor_.seq = *health_.newest_seq;
  }
  started_ns_ = now_ns;
  started_wall_ns_ = now_wall_ns;
  const ClockOffset* const offset = clock_.newest();
  if (!options_.from_start && offset != nullptr && offset->boot_known) {
    begin_boot_ns_ = now_boot_ns + offset->boot_offset_ns - offset->rtt_ns / 2;
  }
  last_sample_ns_ = started_ns_;
  next_second_ns_ = started_ns_ + kSecond;
  next_clock_ns_ = started_ns_ + kClockEveryNs;
  next_capture_ns_ = started_ns_ + kCaptureEveryNs;

  nlohmann::ordered_json head{{"format", 1},
                              {"program", "mikroscope " MIKROSCOPE_VERSION},
                              {"started_utc", base::format_utc(started_wall_ns_, 3)},
                              {"agent", health_.version},
                              {"instance", cursor_.instance},
                              {"boot_id", boot_id_},
                              {"rate_hz", health_.rate_hz}};
  const auto capabilities_json = nlohmann::json::parse(capabilities_, nullptr, false);
  if (capabilities_json.is_object() && capabilities_json.contains("schema")) {
    head["schema_hash"] = capabilities_json["schema"];
  }
  const nlohmann::ordered_json line{{"recording", head}};
  base::Result<void> written =
      writer_.line(line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
  if (!written.ok()) return written;

  std::string hello = fmt::format("agent {}", health_.version.empty() ? "?" : health_.version);
  if (health_.rate_hz != 0) hello += fmt::format(", {} Hz", health_.rate_hz);
  if (!health_.board.empty()) hello += ", " + health_.board;
  if (target_.facts && !target_.facts->version.empty()) hello += ", RouterOS " + target_.facts->version;
  if (const ClockOffset* c = clock_.newest()) {
    hello += fmt::format(", clock offset {:.1f} ms \xC2\xB1 {:.1f} ms",
                         static_cast<double>(c->wall_offset_ns) / 1e6, static_cast<double>(c->rtt_ns) / 2e6);
  }
  status_.message(hello + ", " + link_.describe());
  if (markers_.source() == MarkerInput::Source::terminal && !markers_.in_background()) {
    status_.message("type a line and press Enter to set a marker; Ctrl-C ends the recording");
  }
  return {};
}

base::Result<void> Recorder::loop() {
  show_status(base::monotonic_ns());
  for (;;) {
    const std::int64_t begun = base::monotonic_ns();
    if (stopping()) return drain();
    if (options_.for_ns && (end_reached_ || begun - started_ns_ >= *options_.for_ns)) return drain();
    base::Result<void> done = pull(0);
    if (!done.ok()) return done;
    std::int64_t next = begun + options_.poll_ns;
    if (options_.for_ns) next = std::min(next, started_ns_ + *options_.for_ns);
    done = wait_until(next);
    if (!done.ok()) return done;
  }
}

// Until then: typed lines, the files' second, the status. Ends early on a signal.
base::Result<void> Recorder::wait_until(std::int64_t deadline) {
  for (;;) {
    base::Result<void> done = typed_lines();
    if (!done.ok()) return done;
    const std::int64_t now = base::monotonic_ns();
    if (now >= next_second_ns_) {
      done = every_second(now);
      if (!done.ok()) return done;
    }
    if (stopping() || now >= deadline) return {};
    const std::int64_t until = std::min(deadline, next_second_ns_);
    pollfd fds[2] = {{signals_.fd(), POLLIN, 0}, {markers_.fd(), POLLIN, 0}};
    const int wait_ms =
        static_cast<int>(std::max<std::int64_t>(0, (until - base::monotonic_ns() + 999'999) / 1'000'000));
    ::poll(fds, 2, wait_ms);
  }
}

// One pull, repeated while the agent has more. Only what ends the recording is an error.
base::Result<void> Recorder::pull(std::uint32_t wait_ms) {
  for (int i = 0; i < kDrainPulls && !end_reached_; ++i) {
    base::Result<void> local;  // of our own side: a full disk ends the recording, a bad reply does not
    const base::Result<PullResult> result = link_.pull(
        {cursor_, kBatch, wait_ms}, [this](const PullResult& r) { on_reply(r); },
        [&](const Line& line) -> base::Result<void> {
          local = on_line(line);
          return local;
        });
    if (!local.ok()) return local;
    if (!while_waiting_failed_.ok()) return while_waiting_failed_;
    if (!result.ok()) {
      if (result.error().exit == base::Exit::auth) return result.error();
      if (result.error().exit != base::Exit::interrupted) pull_failed(result.error());
      if (target_.local && !target_.local->running()) {
        return base::Error{fmt::format("the local agent ended: {}", target_.local->why()), "",
                           base::Exit::failed};
      }
      return {};
    }
    pull_worked(*result);
    base::Result<void> done = look_for_restart();
    if (!done.ok()) return done;
    if (!result->full || signals_.count() > 1) return {};
    // A long catch-up must not keep the files, the status and the user waiting.
    done = typed_lines();
    if (done.ok() && base::monotonic_ns() >= next_second_ns_) done = every_second(base::monotonic_ns());
    if (!done.ok()) return done;
  }
  return {};
}

// The last samples: once after a signal; with --for until the span is full, or none comes any more.
base::Result<void> Recorder::drain() {
  ended_by_ = stopping() ? EndedBy::signal : EndedBy::duration;
  signals_.acknowledge();  // from now on a further signal interrupts
  const int signals_before = signals_.count();
  const std::int64_t deadline = base::monotonic_ns() + kLateNs;
  base::Result<void> done = pull(0);
  while (done.ok() && ended_by_ == EndedBy::duration && !end_reached_ && !stalled_ && first_live_boot_ns_ &&
         tally_.restarts() == 0 && base::monotonic_ns() < deadline && signals_.count() == signals_before) {
    done = pull(300);
  }
  if (done.ok()) done = typed_lines();
  if (signals_.count() > std::max(1, signals_before)) ended_by_ = EndedBy::second_signal;
  if (signals_.count() > signals_before && ended_by_ == EndedBy::duration) ended_by_ = EndedBy::signal;
  return done;
}

// While a request runs: typed lines, the files' second and the status go on, and an agent that took the
// request and says nothing is noticed.
bool Recorder::while_waiting(std::int64_t quiet_ns) {
  if (started_ns_ == 0) return true;  // nothing is recorded yet
  const std::int64_t now = base::monotonic_ns();
  if (quiet_ns > kStalledAfterNs && !stalled_) {
    stalled_ = true;
    if (failing_since_ns_ == 0) {
      failing_since_ns_ = now - quiet_ns;
      status_.warning(
          fmt::format("pull: {} does not answer; recording goes on, trying again", link_.describe()));
    }
    show_status(now);
  }
  while_waiting_failed_ = typed_lines();
  if (while_waiting_failed_.ok() && now >= next_second_ns_) while_waiting_failed_ = second_of_files(now);
  return while_waiting_failed_.ok() && quiet_ns < kGiveUpNs;
}

void Recorder::pull_failed(const base::Error& error) {
  const std::int64_t now = base::monotonic_ns();
  if (failing_since_ns_ != 0) return;
  failing_since_ns_ = now;
  stalled_ = true;
  status_.warning(fmt::format("pull: {}; recording goes on, trying again", error.what));
}

void Recorder::pull_worked(const PullResult& result) {
  const std::int64_t now = base::monotonic_ns();
  if (failing_since_ns_ != 0) {
    status_.message(
        fmt::format("the agent answers again after {}",
                    base::format_duration((now - failing_since_ns_) / 100'000'000 * 100'000'000)));
    failing_since_ns_ = 0;
    next_clock_ns_ = now;
  }
  tally_.malformed(result.malformed);
  if (cursor_.from == Cursor::From::newest && result.newest_seq) {
    // Nothing new yet: from here on nothing may be missed.
    cursor_.from = Cursor::From::after;
    cursor_.seq = *result.newest_seq;
  }
  if (result.frames != 0) last_sample_ns_ = now;
  const std::int64_t period = health_.rate_hz != 0 ? kSecond / health_.rate_hz : kSecond;
  const bool silent = now - last_sample_ns_ > std::max(kStalledAfterNs, 5 * period);
  if (silent && !stalled_) status_.warning("the agent answers, but has no new samples");
  stalled_ = silent;
}

// An agent that names no instance in its replies and began again is only noticed by its numbers.
base::Result<void> Recorder::look_for_restart() {
  if (restart_pending_) {
    // The reply of a new instance held no sample: what it has is asked for from its oldest on.
    cursor_.from = Cursor::From::oldest;
    return on_restart(reply_instance_);
  }
  const std::int64_t now = base::monotonic_ns();
  if (cursor_.from != Cursor::From::after || now - last_sample_ns_ < kLookEveryNs || now < next_look_ns_)
    return {};
  next_look_ns_ = now + kLookEveryNs;
  const base::Result<Health> health = link_.health();
  if (!health.ok()) return {};
  const std::string instance = clean_instance(health->instance);
  const bool renamed = !instance.empty() && !cursor_.instance.empty() && instance != cursor_.instance;
  const bool rebooted = !health->boot_id.empty() && !boot_id_.empty() && health->boot_id != boot_id_;
  if (!renamed && !rebooted && health->newest_seq.value_or(cursor_.seq) >= cursor_.seq) return {};
  reply_boot_id_ = health->boot_id;
  cursor_.from = Cursor::From::oldest;
  return on_restart(instance);
}

void Recorder::measure_clock(int tries) {
  const base::Result<ClockOffset> offset = link_.measure_clock(tries);
  if (offset.ok()) clock_.add(*offset);
}

base::Result<void> Recorder::every_second(std::int64_t now) {
  base::Result<void> done = second_of_files(now);
  if (!done.ok()) return done;
  bool meta_changed = false;
  if (now >= next_clock_ns_ && failing_since_ns_ == 0) {
    next_clock_ns_ = now + kClockEveryNs;
    measure_clock(kClockTries);
    meta_changed = true;
  }
  if (writer_.begun() && (meta_changed || meta_.empty())) {
    meta_ = make_meta();
    done = writer_.write_meta(meta_.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
    if (!done.ok()) return done;
  }
  if (options_.fetch_captures && now >= next_capture_ns_) {
    next_capture_ns_ = now + kCaptureEveryNs;
    fetch_captures(false);
  }
  return {};
}

// What needs no agent: the files reach the disk, the status moves.
base::Result<void> Recorder::second_of_files(std::int64_t now) {
  next_second_ns_ += kSecond * ((now - next_second_ns_) / kSecond + 1);
  base::Result<void> done = writer_.sync();
  if (!done.ok()) return done;
  if (markers_.in_background() && !said_background_) {
    said_background_ = true;
    status_.warning(
        "standard input is not read: this job is in the background (set markers with: mikroscope mark "
        "--out " +
        writer_.paths().prefix + " \"text\")");
  } else if (!markers_.in_background()) {
    said_background_ = false;
  }
  show_status(now);
  return {};
}

}  // namespace mikroscope::cli
