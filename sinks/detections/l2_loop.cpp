#include <fmt/format.h>

#include "sinks/detections/detection.h"
#include "sinks/detections/port_log.h"
#include "sinks/detections/windows.h"

namespace mikroscope::sinks {
namespace {

constexpr std::size_t kRecords = 3;

class L2Loop final : public Detection {
 public:
  void see(const model::Event& event, Emit& emit) override {
    const bool any = log_.see(event, [&](const std::string& port, std::string_view kind) {
      if (kind != "own-address") return;
      const std::size_t records = records_.add(port, emit.now_ns());
      if (records < kRecords) return;
      emit({port, static_cast<double>(records), kRecords,
            fmt::format(
                "{} received packets with the router's own address as their source ({} records of the kernel "
                "log within {:.0f} s): layer 2 has a loop behind it, or two devices have one address",
                port, records, records_.span_s(port))});
    });
    if (any) set_checked();
  }

 private:
  PortLog log_;
  Happenings records_{kMinuteNs};
};

}  // namespace

extern const DetectionDef kL2Loop;
const DetectionDef kL2Loop{"l2-loop", "a port received the router's own address at least 3 times within 60 s",
                           "the kernel log", false, make_detection<L2Loop>};

}  // namespace mikroscope::sinks
