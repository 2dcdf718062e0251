#include <fmt/format.h>

#include <deque>

#include "sinks/detections/conntrack.h"
#include "sinks/detections/detection.h"
#include "sinks/detections/windows.h"

namespace mikroscope::sinks {
namespace {

constexpr std::int64_t kLeast = 256;  // 3 connections that become 1 say nothing
constexpr std::int64_t kWithinNs = 10 * kSecondNs;
// A table that is only told when it changes is told once a minute all the same.
constexpr std::int64_t kHeartbeatNs = 75 * kSecondNs;

class ConntrackCliff final : public Detection {
 public:
  void see(const model::Event& event, Emit& emit) override {
    if (!table_.see(event)) return;
    set_checked();
    const std::int64_t now = emit.now_ns();
    const std::int64_t active = table_.active();
    // The highest of the last 10 s is at the front: what is lower and earlier can not be it any more.
    while (highest_.size() > 1 && highest_.front().at_ns < now - kWithinNs) highest_.pop_front();
    if (!highest_.empty() && highest_.front().at_ns < now - kWithinNs &&
        (last_ns_ >= now - kWithinNs || last_ns_ < now - kHeartbeatNs))
      highest_.clear();
    last_ns_ = now;
    if (!highest_.empty()) {
      const Past before = highest_.front();
      if (before.active >= kLeast && active * 2 < before.active) {
        emit({"", static_cast<double>(active), static_cast<double>(before.active),
              fmt::format("tracked connections fell from {} to {} within {:.1f} s", before.active, active,
                          static_cast<double>(now - before.at_ns) / 1e9)});
        highest_.clear();  // one fall is told once
      }
    }
    while (!highest_.empty() && highest_.back().active <= active) highest_.pop_back();
    highest_.push_back({now, active});
  }

 private:
  struct Past {
    std::int64_t at_ns;
    std::int64_t active;
  };
  Conntrack table_;
  std::deque<Past> highest_;
  std::int64_t last_ns_ = 0;
};

}  // namespace

extern const DetectionDef kConntrackCliff;
const DetectionDef kConntrackCliff{"conntrack-cliff",
                                   "of at least 256 tracked connections more than half vanished within 10 s; "
                                   "threshold: how many there were",
                                   "slab[nf_conntrack] (a privileged agent)", false,
                                   make_detection<ConntrackCliff>};

}  // namespace mikroscope::sinks
