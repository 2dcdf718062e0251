#include <fmt/format.h>

#include "sinks/detections/detection.h"
#include "sinks/detections/lead_up.h"
#include "sinks/detections/run_watch.h"

namespace mikroscope::sinks {
namespace {

class AgentRestart final : public Detection {
 public:
  void see(const model::Event& event, Emit& emit) override {
    const auto run = runs_.see(event);
    if (event.kind == model::EventKind::sample) set_checked();
    if (!run) return;
    const char* const router = run->reboot ? ", and the router rebooted"
                               : run->boots_known
                                   ? "; the router did not reboot: its kernel's boot id is the same"
                                   : "";
    emit({"", static_cast<double>(run->new_seq), static_cast<double>(run->old_seq),
          fmt::format("the agent began again: sample {} followed {}{}{}", run->new_seq, run->old_seq, router,
                      emit.lead_up().text(emit.now_ns()))});
  }

 private:
  RunWatch runs_;
};

}  // namespace

extern const DetectionDef kAgentRestart;
const DetectionDef kAgentRestart{
    "agent-restart", "the agent began again; value: number of its sample, threshold: of the one before",
    "samples", false, make_detection<AgentRestart>};

}  // namespace mikroscope::sinks
