#include "routeros/tier/if_counters.h"

#include <algorithm>

#include "routeros/session/value.h"
#include "routeros/tier/measurements.h"

namespace mikroscope::routeros {
namespace {

constexpr std::size_t kMaxNames = 500;
constexpr std::size_t kMaxName = 64;

}  // namespace

bool is_interface_counter(std::string_view name) {
  const bool plain = std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  });
  if (!plain || name.size() > kMaxName || name.ends_with("-per-second")) return false;
  return name == "link-downs" || name.starts_with("rx-") || name.starts_with("tx-") ||
         name.starts_with("fp-") || name.starts_with("driver-");
}

void IfCounters::add(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    const std::string_view interface = row.text("name");
    if (interface.empty()) continue;
    Values& values = now_[std::string(interface)];
    for (const Attribute& attribute : row.attributes()) {
      if (!is_interface_counter(attribute.name)) continue;
      const std::optional<std::uint64_t> value = parse_count(attribute.value);
      if (!value || *value > static_cast<std::uint64_t>(INT64_MAX)) continue;
      if (names_.find(attribute.name) == names_.end()) {
        if (names_.size() == kMaxNames) continue;
        names_.insert(attribute.name);
        measurement_ = nullptr;
      }
      values[attribute.name] = static_cast<std::int64_t>(*value);
    }
  }
}

void IfCounters::write(const Inventory& inventory, model::EventBuilder& out) {
  if (measurement_ == nullptr) measurement_ = api_ifcounters({names_.begin(), names_.end()});
  for (const auto& [interface, values] : now_) {
    if (values.empty()) continue;
    out.row(measurement_, inventory.keys(interface));
    for (const auto& [name, value] : values) {
      std::string field(name);
      std::replace(field.begin(), field.end(), '-', '_');
      out.integer(field, value);
    }
  }
}

}  // namespace mikroscope::routeros
