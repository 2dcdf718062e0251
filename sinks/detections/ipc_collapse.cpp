#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>

#include "sinks/derive/columns.h"
#include "sinks/detections/detection.h"
#include "sinks/detections/windows.h"

namespace mikroscope::sinks {
namespace {

constexpr std::size_t kLeast = 20;
constexpr std::size_t kMost = 60;

double median(const std::deque<double>& values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const std::size_t n = sorted.size();
  return n % 2 == 1 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

class IpcCollapse final : public Detection {
 public:
  void see(const model::Event& event, Emit& emit) override {
    if (event.kind != model::EventKind::sample || !perf_.in(event)) return;
    if (perf_.changed()) learn();
    const std::int64_t interval_ns = perf_.interval_ns(event);
    for (Core* core : of_row_) {
      const auto cycles = perf_.integer(event, core->cycles, 0);
      const auto instructions = perf_.integer(event, core->instructions, 0);
      if (!cycles || !instructions || interval_ns <= 0) continue;
      set_checked();
      // A second is over with the sample that does not fit into it.
      if (core->covered_ns > 0 && emit.now_ns() >= core->from_ns + kSecondNs) close(*core, emit);
      if (core->covered_ns == 0) core->from_ns = emit.now_ns();
      core->covered_ns += interval_ns;
      core->sum_cycles += static_cast<double>(*cycles);
      core->sum_instructions += static_cast<double>(*instructions);
    }
  }

 private:
  struct Core {
    std::string name;
    std::size_t cycles = 0;  // rows of perf
    std::size_t instructions = 0;
    std::int64_t from_ns = 0;
    std::int64_t covered_ns = 0;
    double sum_cycles = 0;
    double sum_instructions = 0;
    std::deque<double> ipc;
    std::deque<double> rate;
  };

  void learn() {
    of_row_.clear();
    for (std::size_t c = 0; c < perf_.rows(); ++c) {
      if (perf_.keys(c)[0] != "cycles") continue;
      for (std::size_t i = 0; i < perf_.rows(); ++i) {
        if (perf_.keys(i)[0] != "instructions" || perf_.keys(i)[1] != perf_.keys(c)[1]) continue;
        Core& core = cores_[perf_.keys(c)[1]];
        core.name = "core" + perf_.keys(c)[1];
        core.cycles = c;
        core.instructions = i;
        of_row_.push_back(&core);
      }
    }
  }

  static void close(Core& core, Emit& emit) {
    const double rate = core.sum_cycles / (static_cast<double>(core.covered_ns) / 1e9);
    const bool half = core.covered_ns * 2 >= kSecondNs;  // less of a second is no second
    if (core.sum_cycles > 0 && half) {
      const double ipc = core.sum_instructions / core.sum_cycles;
      if (core.ipc.size() >= kLeast) {
        const double usual = median(core.ipc);
        if (ipc < usual / 2 && rate > median(core.rate)) {
          emit({core.name, ipc, usual / 2,
                fmt::format("{} did {:.2f} instructions per cycle over a second, usually {:.2f}, while it "
                            "ran at {:.0f} "
                            "million cycles/s: it waits for memory",
                            core.name, ipc, usual, rate / 1e6)});
        }
      }
      core.ipc.push_back(ipc);
      core.rate.push_back(rate);
      if (core.ipc.size() > kMost) {
        core.ipc.pop_front();
        core.rate.pop_front();
      }
    }
    core.covered_ns = 0;
    core.sum_cycles = core.sum_instructions = 0;
  }

  Columns perf_{"perf", {"count"}};
  std::map<std::string, Core> cores_;
  std::vector<Core*> of_row_;
};

}  // namespace

extern const DetectionDef kIpcCollapse;
const DetectionDef kIpcCollapse{
    "ipc-collapse",
    "a core did less than half of its usual instructions per cycle for a second in which "
    "it had more to do than usual",
    "perf: cycles and instructions", true, make_detection<IpcCollapse>};

}  // namespace mikroscope::sinks
