#include <fmt/format.h>

#include <map>

#include "sinks/derive/columns.h"
#include "sinks/detections/detection.h"
#include "sinks/detections/windows.h"

namespace mikroscope::sinks {
namespace {

constexpr double kShare = 0.85;
constexpr double kOver = 0.82;  // of the trip point: cooled down

class ThermalHigh final : public Detection {
 public:
  void see(const model::Event& event, Emit& emit) override {
    if (event.kind != model::EventKind::sample || !thermal_.in(event)) return;
    for (std::size_t row = 0; row < thermal_.rows(); ++row) {
      const auto celsius = thermal_.number(event, row, 0);
      const auto critical = thermal_.number(event, row, 1);
      if (!celsius && !critical) continue;
      Zone& zone = zones_[thermal_.keys(row)[0]];
      if (critical) zone.critical = *critical;
      if (!celsius || zone.critical <= 0) continue;
      set_checked();
      const double threshold = kShare * zone.critical;
      if (*celsius < kOver * zone.critical) zone.held.off();
      if (*celsius < threshold || !zone.held.on(emit.now_ns())) continue;
      emit({thermal_.keys(row)[0], *celsius, threshold,
            fmt::format("{} is at {:.1f} C, {:.0f}% of the {:.1f} C at which the machine protects itself",
                        thermal_.keys(row)[0], *celsius, 100 * *celsius / zone.critical, zone.critical)});
    }
  }

 private:
  struct Zone {
    double critical = 0;
    Held held;
  };
  Columns thermal_{"thermal", {"celsius", "critical_celsius"}};
  std::map<std::string, Zone> zones_;
};

}  // namespace

extern const DetectionDef kThermalHigh;
const DetectionDef kThermalHigh{"thermal-high", "a zone is at 85% of its lowest critical trip point or above",
                                "thermal with a critical trip point", false, make_detection<ThermalHigh>};

}  // namespace mikroscope::sinks
