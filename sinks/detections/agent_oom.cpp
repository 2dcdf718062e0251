#include <fmt/format.h>

#include "sinks/derive/columns.h"
#include "sinks/detections/detection.h"

namespace mikroscope::sinks {
namespace {

class AgentOom final : public Detection {
 public:
  void see(const model::Event& event, Emit& emit) override {
    if (event.kind != model::EventKind::sample || !self_.in(event) || self_.rows() == 0) return;
    const auto kills = self_.integer(event, 0, 0);
    if (!kills) return;
    set_checked();
    if (*kills <= 0) return;
    std::string limit;
    if (const auto bytes = self_.integer(event, 0, 1))
      limit = fmt::format(", whose limit is {:.1f} MiB", static_cast<double>(*bytes) / 1048576.0);
    emit({"", static_cast<double>(*kills), 0,
          fmt::format("the kernel killed {} processes of the agent's container for want of memory{}", *kills,
                      limit)});
  }

 private:
  Columns self_{"self", {"oom_kill", "cgroup_mem_max"}};
};

}  // namespace

extern const DetectionDef kAgentOom;
const DetectionDef kAgentOom{"agent-oom",
                             "a process of the agent's control group was killed for want of memory",
                             "self.oom_kill (a memory control group)", false, make_detection<AgentOom>};

}  // namespace mikroscope::sinks
