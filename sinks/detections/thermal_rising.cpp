#include <fmt/format.h>

#include <deque>
#include <map>

#include "sinks/derive/columns.h"
#include "sinks/detections/detection.h"
#include "sinks/detections/windows.h"

namespace mikroscope::sinks {
namespace {

constexpr std::size_t kMeans = 4;
constexpr double kStep = 1.0;  // C per minute

class ThermalRising final : public Detection {
 public:
  void see(const model::Event& event, Emit& emit) override {
    if (event.kind != model::EventKind::sample || !thermal_.in(event)) return;
    for (std::size_t row = 0; row < thermal_.rows(); ++row) {
      if (const auto celsius = thermal_.number(event, row, 0)) {
        set_checked();
        add(thermal_.keys(row)[0], *celsius, emit);
      }
    }
  }

 private:
  struct Zone {
    std::int64_t from_ns = 0;
    double sum = 0;
    std::uint64_t readings = 0;
    std::deque<double> means;
  };

  void add(const std::string& name, double celsius, Emit& emit) {
    Zone& zone = zones_[name];
    const std::int64_t now = emit.now_ns();
    if (zone.readings > 0 && now >= zone.from_ns + kMinuteNs) {
      zone.means.push_back(zone.sum / static_cast<double>(zone.readings));
      if (zone.means.size() > kMeans) zone.means.pop_front();
      test(name, zone, emit);
      // Minutes without a reading break the row.
      const bool next = now < zone.from_ns + 2 * kMinuteNs;
      if (!next) zone.means.clear();
      zone.from_ns = next ? zone.from_ns + kMinuteNs : now;
      zone.sum = 0;
      zone.readings = 0;
    }
    if (zone.readings == 0 && zone.means.empty()) zone.from_ns = now;
    zone.sum += celsius;
    ++zone.readings;
  }

  static void test(const std::string& name, const Zone& zone, Emit& emit) {
    if (zone.means.size() < kMeans) return;
    for (std::size_t i = 1; i < kMeans; ++i) {
      if (zone.means[i] - zone.means[i - 1] <= kStep) return;
    }
    const double rise = zone.means.back() - zone.means.front();
    emit({name, rise, (kMeans - 1) * kStep,
          fmt::format(
              "{} warmed up by {:.1f} C in 3 minutes, from {:.1f} C to {:.1f} C, more than {:.0f} C in each",
              name, rise, zone.means.front(), zone.means.back(), kStep)});
  }

  Columns thermal_{"thermal", {"celsius"}};
  std::map<std::string, Zone> zones_;
};

}  // namespace

extern const DetectionDef kThermalRising;
const DetectionDef kThermalRising{
    "thermal-rising",
    "a zone's mean rose by more than 1 C in each of the last 3 minutes; value: by how "
    "much in all",
    "thermal", false, make_detection<ThermalRising>};

}  // namespace mikroscope::sinks
