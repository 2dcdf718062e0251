#include "plot/recording_tally.h"

#include <nlohmann/json.hpp>

#include "base/host/utc.h"

namespace mikroscope::plot {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kGapsListed = 1000;

Json head_json(const proc::TickHeader& head) {
  return {{"seq", head.seq},
          {"boot_ns", head.boot_ns},
          {"wall_ns", head.wall_ns},
          {"utc", base::format_utc(head.wall_ns, 3)}};
}

}  // namespace

RecordingTally::Seen RecordingTally::frame(const proc::TickHeader& head) {
  Seen seen;
  const proc::TickHeader* const before = last();
  if (before != nullptr && head.seq <= before->seq) {
    seen.repeated = true;
    return seen;
  }
  if (before != nullptr && head.seq != before->seq + 1 && !open_gap_) {
    // The agent said nothing, and still there is a hole.
    gap({before->seq + 1, head.seq - 1});
    seen.gap_was_announced = false;
  }
  if (open_gap_) {
    gaps_.back().before_boot_ns = head.boot_ns;
    seen.gap = gaps_.back();
    open_gap_ = false;
  }
  const proc::TickHeader* const earlier = last_of_all();
  if (earlier != nullptr && !rebooted_) {
    const std::int64_t step = (head.wall_ns - earlier->wall_ns) - (head.boot_ns - earlier->boot_ns);
    if (step > kClockStepNs || step < -kClockStepNs) {
      seen.clock_step_ns = step;
      ++clock_steps_;
    }
  }
  seen.after_restart = restarted_;
  restarted_ = rebooted_ = false;
  if (!in_segment_) {
    segments_.push_back({instance_, head, head, 0});
    in_segment_ = true;
  }
  segments_.back().last = head;
  ++segments_.back().samples;
  ++samples_;
  covered_ns_ += head.dt_ns;
  return seen;
}

void RecordingTally::gap(const proc::Gap& gap) {
  LostSamples lost{gap.from, gap.to, 0, 0};
  if (const proc::TickHeader* before = last()) lost.after_boot_ns = before->boot_ns;
  lost_ += gap.to - gap.from + 1;
  gaps_.push_back(lost);
  open_gap_ = true;
}

void RecordingTally::restart(const proc::Restart& restart) {
  // Announced twice (by the agent and by the change of its name), it is one restart.
  if (!in_segment_ && (restarted_ || segments_.empty())) {
    instance_ = restart.instance;
    rebooted_ |= restart.reboot;
    return;
  }
  ++restarts_;
  in_segment_ = false;
  restarted_ = true;
  rebooted_ = restart.reboot;
  open_gap_ = false;
  instance_ = restart.instance;
}

void RecordingTally::instance(const std::string& name) {
  instance_ = name;
  if (in_segment_ && segments_.back().instance.empty()) segments_.back().instance = name;
}

void RecordingTally::write(Json& out) const {
  out["samples"] = samples_;
  if (const proc::TickHeader* head = first_of_all()) out["first"] = head_json(*head);
  if (const proc::TickHeader* head = last_of_all()) out["last"] = head_json(*head);
  out["covered_s"] = static_cast<double>(covered_ns_ / 1'000'000) / 1000.0;
  out["lost_samples"] = lost_;
  Json gaps = Json::array();
  for (const LostSamples& g : gaps_) {
    if (gaps.size() == kGapsListed) break;
    Json entry{{"from", g.from}, {"to", g.to}};
    if (g.after_boot_ns != 0) entry["after_boot_ns"] = g.after_boot_ns;
    if (g.before_boot_ns != 0) entry["before_boot_ns"] = g.before_boot_ns;
    gaps.push_back(std::move(entry));
  }
  out["gap_count"] = gaps_.size();
  out["gaps"] = std::move(gaps);
  out["restarts"] = restarts_;
  Json segments = Json::array();
  for (const Segment& s : segments_) {
    segments.push_back({{"instance", s.instance},
                        {"samples", s.samples},
                        {"first", head_json(s.first)},
                        {"last", head_json(s.last)}});
  }
  out["segments"] = std::move(segments);
  out["clock_steps"] = clock_steps_;
  out["triggers"] = triggers_;
  out["kernel_log_records"] = log_records_;
  out["malformed"] = malformed_;
}

}  // namespace mikroscope::plot
