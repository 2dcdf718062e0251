#include <fmt/format.h>

#include "sinks/detections/detection.h"
#include "sinks/detections/port_log.h"
#include "sinks/detections/windows.h"

namespace mikroscope::sinks {
namespace {

// One loss of link is a plug that was pulled; two within a minute are a bad cable, port or peer.
constexpr std::size_t kDowns = 2;

class LinkFlap final : public Detection {
 public:
  void see(const model::Event& event, Emit& emit) override {
    const bool any = log_.see(event, [&](const std::string& port, std::string_view kind) {
      if (kind != "link-down") return;
      const std::size_t downs = downs_.add(port, emit.now_ns());
      if (downs < kDowns) return;
      emit({port, static_cast<double>(downs), kDowns,
            fmt::format("{} lost its link {} times within {:.0f} s", port, downs, downs_.span_s(port))});
    });
    if (any) set_checked();
  }

 private:
  PortLog log_;
  Happenings downs_{kMinuteNs};
};

}  // namespace

extern const DetectionDef kLinkFlap;
const DetectionDef kLinkFlap{"link-flap", "a port lost its link at least twice within 60 s", "the kernel log",
                             false, make_detection<LinkFlap>};

}  // namespace mikroscope::sinks
