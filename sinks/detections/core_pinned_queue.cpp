#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "sinks/derive/columns.h"
#include "sinks/detections/detection.h"
#include "sinks/detections/windows.h"

namespace mikroscope::sinks {
namespace {

constexpr std::int64_t kWindowNs = 5 * kSecondNs;
constexpr double kBusy = 0.9;        // the one core
constexpr double kInterrupts = 0.5;  // of its busy time in hard and soft interrupts
constexpr double kPackets = 0.8;     // of all packets
constexpr double kOthers = 0.5;      // the others are at most this busy, on average
constexpr double kLeastRate = 1000;  // packets per second: below, they are not what it does

// Windows of 5 s, one behind the other. All four conditions must hold over the whole of one.
class CorePinnedQueue final : public Detection {
 public:
  void see(const model::Event& event, Emit& emit) override {
    if (event.kind == model::EventKind::restart || event.kind == model::EventKind::gap) cores_.clear();
    if (event.kind != model::EventKind::sample) return;
    const bool has_cpu = cpu_.in(event);
    const bool has_softnet = softnet_.in(event);
    if (!has_cpu || !has_softnet) return;
    if (!cores_.empty() && emit.now_ns() >= from_ns_ + kWindowNs) {
      test(emit);
      cores_.clear();
      lines_.clear();
    }
    if (cores_.empty()) from_ns_ = emit.now_ns();
    add(event);
  }

 private:
  struct Core {
    double busy_ns = 0;
    double interrupt_ns = 0;
    double covered_ns = 0;
    double packets = 0;
    bool has_packets = false;
    double busy() const { return covered_ns > 0 ? busy_ns / covered_ns : 0; }
  };

  void add(const model::Event& event) {
    constexpr double kTickNs = 1e7;  // USER_HZ is 100
    const auto cpu_interval = static_cast<double>(cpu_.interval_ns(event));
    for (std::size_t row = 0; row < cpu_.rows(); ++row) {
      const auto busy = cpu_.number(event, row, 0);
      if (!busy || cpu_interval <= 0) continue;
      Core& core = cores_[cpu_.keys(row)[0]];
      core.covered_ns += cpu_interval;
      core.busy_ns += *busy * cpu_interval;
      core.interrupt_ns +=
          kTickNs * (cpu_.number(event, row, 1).value_or(0) + cpu_.number(event, row, 2).value_or(0));
    }
    for (std::size_t row = 0; row < softnet_.rows(); ++row) {
      const auto packets = softnet_.number(event, row, 0);
      if (!packets) continue;
      Core& core = cores_[softnet_.keys(row)[0]];
      core.packets += *packets;
      core.has_packets = true;
    }
    if (!irq_.in(event)) return;
    for (std::size_t row = 0; row < irq_.rows(); ++row) {
      const auto count = irq_.number(event, row, 0);
      // Lines with a name instead of a number are the kernel's own.
      if (!count || *count <= 0 || irq_.keys(row)[0].find_first_not_of("0123456789") != std::string::npos)
        continue;
      lines_[irq_.keys(row)[2]][irq_.keys(row)[0] + " (" + irq_.keys(row)[1] + ")"] += *count;
    }
  }

  void test(Emit& emit) {
    double packets = 0;
    double seconds = 0;
    std::size_t with_packets = 0;
    auto busiest = cores_.end();
    for (auto core = cores_.begin(); core != cores_.end(); ++core) {
      packets += core->second.packets;
      with_packets += core->second.has_packets ? 1 : 0;
      seconds = std::max(seconds, core->second.covered_ns / 1e9);
      if (busiest == cores_.end() || core->second.packets > busiest->second.packets) busiest = core;
    }
    if (busiest == cores_.end() || with_packets == 0 || seconds <= 0) return;
    set_checked();
    double others = 0;
    std::size_t n = 0;
    for (const auto& [cpu, core] : cores_) {
      if (cpu == busiest->first || core.covered_ns <= 0) continue;
      others += core.busy();
      ++n;
    }
    const Core& core = busiest->second;
    const double busy = core.busy();
    const double interrupts = core.busy_ns > 0 ? std::min(1.0, core.interrupt_ns / core.busy_ns) : 0;
    const double share = packets > 0 ? core.packets / packets : 0;
    const bool pinned = n > 0 && busy >= kBusy && interrupts >= kInterrupts && share >= kPackets &&
                        others / static_cast<double>(n) <= kOthers && packets / seconds >= kLeastRate;
    for (auto& [cpu, held] : held_) {
      if (!pinned || cpu != busiest->first) held.off();
    }
    if (!pinned || !held_[busiest->first].on(emit.now_ns())) return;
    std::string line;
    double most = 0;
    for (const auto& [name, count] : lines_[busiest->first]) {
      if (count > most) most = count, line = "; most of its interrupts are those of line " + name;
    }
    emit({"cpu" + busiest->first, busy, kBusy,
          fmt::format("cpu{} was {:.0f}% busy over {:.1f} s, {:.0f}% of that in interrupts, and took {:.0f}% "
                      "of {:.0f} "
                      "packets/s, while the other cores ({}) were {:.0f}% busy{}",
                      busiest->first, 100 * busy, seconds, 100 * interrupts, 100 * share, packets / seconds,
                      n, 100 * others / static_cast<double>(n), line)});
  }

  Columns cpu_{"cpu", {"busy_ratio", "irq", "softirq"}};
  Columns softnet_{"softnet", {"processed"}};
  Columns irq_{"irq_cpu", {"count"}};
  std::int64_t from_ns_ = 0;
  std::map<std::string, Core> cores_;
  std::map<std::string, std::map<std::string, double>> lines_;
  std::map<std::string, Held> held_;
};

}  // namespace

extern const DetectionDef kCorePinnedQueue;
const DetectionDef kCorePinnedQueue{"core-pinned-queue",
                                    "over 5 s one core was at least 90% busy, mostly in interrupts, and took "
                                    "80% of the packets, while the others "
                                    "were at most half busy",
                                    "cpu and softnet, two cores", false, make_detection<CorePinnedQueue>};

}  // namespace mikroscope::sinks
