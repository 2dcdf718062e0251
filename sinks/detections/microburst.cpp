#include <fmt/format.h>

#include "sinks/derive/burst.h"
#include "sinks/detections/detection.h"
#include "sinks/detections/windows.h"

namespace mikroscope::sinks {
namespace {

constexpr std::size_t kBursts = 3;

class Microburst final : public Detection {
 public:
  void see(const model::Event& event, Emit& emit) override {
    if (event.kind == model::EventKind::gap || event.kind == model::EventKind::restart) watch_.forget();
    if (event.kind != model::EventKind::sample) return;
    const std::vector<BurstWatch::Verdict>& verdicts = watch_.see(event);
    for (std::size_t row = 0; row < verdicts.size(); ++row) {
      if (verdicts[row] >= BurstWatch::Verdict::no) set_checked();
      if (verdicts[row] != BurstWatch::Verdict::yes) continue;
      const std::string key = "cpu" + watch_.cpu(row);
      const std::size_t bursts = bursts_.add(key, emit.now_ns());
      if (bursts < kBursts) continue;
      emit(
          {key, static_cast<double>(bursts), kBursts,
           fmt::format(
               "{}: {} samples within {:.1f} s in which it dropped packets or ran out of budget, although it "
               "processed no more than usual: they came in bursts",
               key, bursts, bursts_.span_s(key))});
    }
  }

 private:
  BurstWatch watch_;
  Happenings bursts_{kMinuteNs};
};

}  // namespace

extern const DetectionDef kMicroburst;
const DetectionDef kMicroburst{"microburst",
                               "at least 3 samples with a burst of packets on one core within 60 s",
                               "softnet", true, make_detection<Microburst>};

}  // namespace mikroscope::sinks
