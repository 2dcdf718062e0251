#include "sinks/detections/run_watch.h"

#include "sinks/detections/windows.h"

namespace mikroscope::sinks {

std::optional<NewRun> RunWatch::see(const model::Event& event) {
  using model::EventKind;
  if (event.kind == EventKind::restart) {
    restart_ = true;
    reboot_ = reboot_ || model::find_number(event, "restart", {}, "reboot").value_or(0) != 0;
    return std::nullopt;
  }
  // Other events of a run with an origin say who ran before a collector's own start.
  const bool sample = event.kind == EventKind::sample;
  if (!sample && any_) return std::nullopt;
  const std::string instance = event.origin ? event.origin->instance : std::string();
  const std::string boot = event.origin ? event.origin->boot_id : std::string();
  NewRun run;
  run.boots_known = !boot_.empty() && !boot.empty();
  run.old_boot = boot_;
  run.new_boot = boot;
  run.old_seq = seq_;
  run.new_seq = event.seq;
  run.old_boot_ns = boot_ns_;
  run.new_boot_ns = event.boot_ns;
  // A boot id is the best witness; without both, the clock since boot that began again is one.
  run.reboot = run.boots_known ? boot != boot_
                               : reboot_ || (event.boot_ns > 0 && event.boot_ns < boot_ns_ - kSecondNs);
  const bool restarted = restart_ || run.reboot ||
                         (!instance_.empty() && !instance.empty() && instance != instance_) ||
                         (seq_ > 0 && event.seq > 0 && event.seq < seq_);
  const bool tell = any_ && restarted && sample;
  if (!instance.empty()) instance_ = instance;
  // After a reboot into a boot whose id is not known, the next one that is known is no news.
  if (!boot.empty() || run.reboot) boot_ = boot;
  any_ = true;
  if (!sample) {
    seq_ = event.seq;
    return std::nullopt;
  }
  restart_ = reboot_ = false;
  seq_ = event.seq;
  boot_ns_ = event.boot_ns;
  if (!tell) return std::nullopt;
  return run;
}

}  // namespace mikroscope::sinks
