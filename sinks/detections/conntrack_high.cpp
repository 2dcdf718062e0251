#include <fmt/format.h>

#include <deque>

#include "sinks/detections/conntrack.h"
#include "sinks/detections/detection.h"
#include "sinks/detections/windows.h"

namespace mikroscope::sinks {
namespace {

constexpr double kHigh = 0.8;
constexpr double kOver = 0.75;  // below: it is over
constexpr double kFull = 0.95;  // above, it need not grow any more
constexpr std::int64_t kEveryNs = kSecondNs;

class ConntrackHigh final : public Detection {
 public:
  void see(const model::Event& event, Emit& emit) override {
    if (!table_.see(event)) return;
    const auto active = table_.active();
    const bool known = !past_.empty();
    while (past_.size() > 1 && past_.front().at_ns < emit.now_ns() - kMinuteNs) past_.pop_front();
    const bool grows = known && active > past_.front().active;
    // One a second is enough to compare with.
    if (!known || emit.now_ns() >= past_.back().at_ns + kEveryNs) past_.push_back({emit.now_ns(), active});
    if (!table_.limit() || *table_.limit() <= 0) return;
    set_checked();
    const auto limit = *table_.limit();
    const double share = static_cast<double>(active) / static_cast<double>(limit);
    if (share < kOver) held_.off();
    if (!((share > kHigh && grows) || share >= kFull)) return;
    if (!held_.on(emit.now_ns())) return;
    emit({"", share, kHigh,
          fmt::format(
              "{} of {} connections tracked ({:.0f}%){}: when the table is full, new connections are dropped",
              active, limit, 100 * share, grows ? " and growing" : "")});
  }

 private:
  struct Past {
    std::int64_t at_ns;
    std::int64_t active;
  };
  Conntrack table_;
  std::deque<Past> past_;
  Held held_;
};

}  // namespace

extern const DetectionDef kConntrackHigh;
const DetectionDef kConntrackHigh{
    "conntrack-high", "more than 80% of the connection table is used and it grows, or 95% whatever it does",
    "slab[nf_conntrack] with its limit (a privileged agent)", false, make_detection<ConntrackHigh>};

}  // namespace mikroscope::sinks
