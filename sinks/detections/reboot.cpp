#include <fmt/format.h>

#include "sinks/detections/detection.h"
#include "sinks/detections/lead_up.h"
#include "sinks/detections/run_watch.h"

namespace mikroscope::sinks {
namespace {

class Reboot final : public Detection {
 public:
  void see(const model::Event& event, Emit& emit) override {
    const auto run = runs_.see(event);
    if (event.kind == model::EventKind::sample) set_checked();
    if (!run || !run->reboot) return;
    const double before_s = static_cast<double>(run->old_boot_ns) / 1e9;
    const double now_s = static_cast<double>(run->new_boot_ns) / 1e9;
    std::string why =
        run->boots_known ? fmt::format("its kernel's boot id was {} and is {}", run->old_boot, run->new_boot)
        : run->old_boot_ns > run->new_boot_ns
            ? fmt::format("its clock since boot was at {:.0f} s and is at {:.0f} s", before_s, now_s)
            : std::string("its agent says so");
    emit({"", now_s, before_s,
          fmt::format("the router rebooted: {}{}", why, emit.lead_up().text(emit.now_ns()))});
  }

 private:
  RunWatch runs_;
};

}  // namespace

extern const DetectionDef kReboot;
const DetectionDef kReboot{"reboot",
                           "the router booted again; value: seconds since boot, threshold: before it",
                           "samples", false, make_detection<Reboot>};

}  // namespace mikroscope::sinks
