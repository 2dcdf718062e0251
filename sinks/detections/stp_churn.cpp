#include <fmt/format.h>

#include "sinks/detections/detection.h"
#include "sinks/detections/port_log.h"
#include "sinks/detections/windows.h"

namespace mikroscope::sinks {
namespace {

constexpr std::size_t kUnfinished = 3;
// Learning alone takes 15 s with the usual forward delay, and one port may be in it now.
constexpr std::int64_t kWindowNs = 5 * kMinuteNs;

class StpChurn final : public Detection {
 public:
  void see(const model::Event& event, Emit& emit) override {
    const bool any = log_.see(event, [&](const std::string& port, std::string_view kind) {
      if (kind == "stp-forwarding") forwarding_.add(port, emit.now_ns());
      if (kind != "stp-learning") return;
      const std::size_t learning = learning_.add(port, emit.now_ns());
      const std::size_t forwarding = forwarding_.count(port, emit.now_ns());
      if (learning < forwarding + kUnfinished) return;
      emit({port, static_cast<double>(learning - forwarding), kUnfinished,
            fmt::format(
                "{} began to learn {} times within {:.0f} s and came to forwarding {} times: spanning tree "
                "finds no rest",
                port, learning, learning_.span_s(port), forwarding)});
    });
    if (any) set_checked();
  }

 private:
  PortLog log_;
  Happenings learning_{kWindowNs};
  Happenings forwarding_{kWindowNs};
};

}  // namespace

extern const DetectionDef kStpChurn;
const DetectionDef kStpChurn{
    "stp-churn",
    "a bridge port began to learn at least 3 times more than it came to forwarding, within "
    "5 min",
    "the kernel log", false, make_detection<StpChurn>};

}  // namespace mikroscope::sinks
