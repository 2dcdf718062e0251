// The recorder and the timeline: lines of the agent, typed lines, restarts.
#include <fmt/format.h>

#include "base/clock.h"
#include "base/host/duration.h"
#include "cli/recorder.h"
#include "proc/ndjson.h"

namespace mikroscope::cli {
namespace {

std::string trigger_label(const proc::Trigger& t) {
  std::string out = t.cause;
  if (!t.field.empty()) out += fmt::format(" ({} = {:g})", t.field, t.value);
  return out;
}

}  // namespace

base::Result<void> Recorder::typed_lines() {
  TypedLine line;
  while (markers_.next(line)) {
    const std::optional<AgentInstant> when = clock_.map(line.host_boot_ns, line.host_wall_ns);
    plot::Marker marker;
    marker.wall_ns = when ? when->wall_ns : line.host_wall_ns;
    if (when) marker.boot_ns = when->boot_ns;
    if (const proc::TickHeader* last = tally_.last()) marker.seq = last->seq;
    marker.label = line.text;
    base::Result<void> done = set_marker(marker);
    if (!done.ok()) return done;
    std::string at;
    const proc::TickHeader* const first = tally_.first_of_all();
    if (first != nullptr && marker.boot_ns) {
      at = fmt::format("{:.3f} s  ", static_cast<double>(*marker.boot_ns - first->boot_ns) / 1e9);
    }
    status_.message(fmt::format("  marker {}{}", at, line.text),
                    markers_.source() == MarkerInput::Source::terminal);
  }
  return {};
}

base::Result<void> Recorder::set_marker(plot::Marker marker) {
  ++markers_set_;
  last_marker_ = marker.label;
  return writer_.marker(marker);
}

void Recorder::on_reply(const PullResult& result) {
  reply_instance_ = clean_instance(result.instance);
  reply_boot_id_ = result.boot_id;
  if (reply_instance_.empty()) return;
  if (cursor_.instance.empty()) {
    cursor_.instance = reply_instance_;
    tally_.instance(reply_instance_);
    if (boot_id_.empty()) boot_id_ = reply_boot_id_;
  }
  restart_pending_ = reply_instance_ != cursor_.instance;
}

base::Result<void> Recorder::on_line(const Line& line) {
  if (line.item == nullptr) return writer_.line(line.text);
  if (const auto* frame = std::get_if<proc::Frame>(line.item)) {
    if (restart_pending_) {
      base::Result<void> done = on_restart(reply_instance_);
      if (!done.ok()) return done;
    }
    return on_frame(*frame, line.text);
  }
  if (const auto* gap = std::get_if<proc::Gap>(line.item)) {
    if (tally_.samples() == 0) return {};  // before the first sample there is nothing that could be missing
    tally_.gap(*gap);
  } else if (const auto* restart = std::get_if<proc::Restart>(line.item)) {
    return on_restart(restart->instance.empty() ? reply_instance_ : clean_instance(restart->instance));
  } else if (const auto* trigger = std::get_if<proc::Trigger>(line.item)) {
    tally_.trigger();
    waiting_triggers_.push_back(*trigger);
    wanted_captures_.insert(trigger->id);
  } else if (std::holds_alternative<proc::LogRecord>(*line.item)) {
    tally_.log_record();
  }
  return writer_.line(line.text);
}

base::Result<void> Recorder::on_restart(const std::string& instance) {
  restart_pending_ = false;
  // Before our first sample there is nothing that it could have cut.
  if (tally_.samples() == 0) {
    begin_boot_ns_.reset();  // of a clock that may have begun anew; all of the new instance is later
    cursor_.instance = instance;
    if (!reply_boot_id_.empty()) boot_id_ = reply_boot_id_;
    tally_.instance(instance);
    return {};
  }
  if (!instance.empty() && instance == cursor_.instance) return {};
  const bool reboot = !reply_boot_id_.empty() && !boot_id_.empty() && reply_boot_id_ != boot_id_;
  const nlohmann::ordered_json line{
      {"restart", {{"instance", instance}, {"previous", cursor_.instance}, {"reboot", reboot}}}};
  base::Result<void> done = writer_.line(line.dump() + "\n");
  tally_.restart({instance, cursor_.instance, reboot});
  cursor_.instance = instance;
  cursor_.seq = 0;
  cursor_.from = Cursor::From::oldest;
  rebooted_ = reboot;
  if (!reply_boot_id_.empty()) boot_id_ = reply_boot_id_;
  if (reboot) clock_.forget();
  next_clock_ns_ = 0;
  status_.message(reboot ? "the agent's machine rebooted; recording goes on"
                         : "the agent restarted; recording goes on");
  return done;
}

base::Result<void> Recorder::on_frame(const proc::Frame& frame, std::string_view text) {
  const proc::TickHeader& head = frame.head;
  if (tally_.samples() == 0 && begin_boot_ns_ && head.boot_ns < *begin_boot_ns_) {
    cursor_.from = Cursor::From::after;
    cursor_.seq = head.seq;
    return {};
  }
  if (options_.for_ns && first_live_boot_ns_ && tally_.restarts() == 0) {
    // Half a period of tolerance: the last tick of the span may be late by a hair.
    const std::int64_t end = *first_live_boot_ns_ + *options_.for_ns;
    if (head.boot_ns > end + head.dt_ns / 2) {
      end_reached_ = true;
      return {};
    }
  }
  const bool any_before = tally_.samples() != 0;
  const plot::RecordingTally::Seen seen = tally_.frame(head);
  if (seen.repeated) return {};
  base::Result<void> done;
  if (seen.gap && !seen.gap_was_announced) {
    char room[128];
    base::Writer line(room, sizeof room);
    proc::write_gap(seen.gap->from, seen.gap->to, line);
    done = writer_.line(line.view());
  }
  if (done.ok()) done = writer_.frame(frame, text);
  if (done.ok() && seen.gap) {
    const std::uint64_t lost = seen.gap->to - seen.gap->from + 1;
    done = set_marker(
        {before_.wall_ns, before_.seq, "gap",
         fmt::format("{} sample{} lost ({}..{})", lost, lost == 1 ? "" : "s", seen.gap->from, seen.gap->to),
         before_.boot_ns, head.boot_ns});
  }
  if (done.ok() && seen.after_restart && any_before) {
    // Over a reboot the two boot clocks do not compare: the marker is an instant of the new one.
    plot::Marker m{rebooted_ ? head.wall_ns : before_.wall_ns,
                   head.seq,
                   "restart",
                   rebooted_ ? "machine rebooted" : "agent restarted",
                   rebooted_ ? head.boot_ns : before_.boot_ns,
                   {}};
    if (!rebooted_ && head.boot_ns > before_.boot_ns) m.until_boot_ns = head.boot_ns;
    done = set_marker(m);
    rebooted_ = false;
  }
  if (done.ok() && seen.clock_step_ns) {
    const std::int64_t step = *seen.clock_step_ns;
    done = set_marker({head.wall_ns,
                       head.seq,
                       "clock-step",
                       fmt::format("wall clock {}{}", step > 0 ? "+" : "", base::format_duration(step)),
                       head.boot_ns,
                       {}});
    next_clock_ns_ = 0;
  }
  while (done.ok() && !waiting_triggers_.empty() && waiting_triggers_.front().seq <= head.seq) {
    const proc::Trigger trigger = waiting_triggers_.front();
    waiting_triggers_.erase(waiting_triggers_.begin());
    done = set_marker({trigger.wall_ns != 0 ? trigger.wall_ns : head.wall_ns,
                       trigger.seq != 0 ? trigger.seq : head.seq,
                       "trigger",
                       trigger_label(trigger),
                       head.boot_ns,
                       {}});
  }
  if (options_.for_ns && first_live_boot_ns_ && tally_.restarts() == 0 &&
      head.boot_ns + head.dt_ns / 2 > *first_live_boot_ns_ + *options_.for_ns) {
    end_reached_ = true;  // no further sample belongs to the span
  }
  before_ = head;
  cursor_.from = Cursor::From::after;
  cursor_.seq = head.seq;
  look_at(frame);
  return done;
}

}  // namespace mikroscope::cli
