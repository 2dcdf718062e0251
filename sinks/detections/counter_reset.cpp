#include <fmt/format.h>

#include <algorithm>

#include "sinks/detections/detection.h"

namespace mikroscope::sinks {
namespace {

constexpr std::size_t kNamed = 3;

// cpu[2].user
std::string cell_name(const model::Shape& shape, std::uint32_t slot) {
  for (const model::ShapeTable& table : shape.tables()) {
    const std::uint32_t columns = table.columns();
    if (slot < table.slot0 || columns == 0 || slot - table.slot0 >= table.rows.size() * columns) continue;
    const std::uint32_t row = (slot - table.slot0) / columns;
    const std::string& field = table.measurement->fields[(slot - table.slot0) % columns].name;
    if (table.measurement->keys.empty()) return fmt::format("{}.{}", table.measurement->name, field);
    return fmt::format("{}[{}].{}", table.measurement->name, fmt::join(table.rows[row].keys, ","), field);
  }
  return {};
}

class CounterReset final : public Detection {
 public:
  void see(const model::Event& event, Emit& emit) override {
    if (event.kind != model::EventKind::sample) return;
    set_checked();
    std::size_t resets = 0;
    std::vector<std::string> names;
    for (const model::OddCell& odd : event.odd) {
      if (odd.kind != proc::DeltaKind::reset) continue;
      if (++resets <= kNamed) names.push_back(cell_name(*event.shape, odd.slot));
    }
    if (resets == 0) return;
    emit({"", static_cast<double>(resets), 0,
          fmt::format("{} counters started over within a sample: {}{}", resets, fmt::join(names, ", "),
                      resets > kNamed ? ", ..." : "")});
  }
};

}  // namespace

extern const DetectionDef kCounterReset;
const DetectionDef kCounterReset{"counter-reset", "counters of the kernel started over; value: how many",
                                 "samples", false, make_detection<CounterReset>};

}  // namespace mikroscope::sinks
