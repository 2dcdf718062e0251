#include "routeros/tier/fast_path.h"

#include <algorithm>

#include "routeros/tier/measurements.h"

namespace mikroscope::routeros {
namespace {

// What reaches the CPU first: a switch port's own count has the frames that its switch forwarded by itself.
constexpr std::string_view kReceived[] = {"driver-rx-byte", "rx-byte", "rx-bytes"};
constexpr std::string_view kSent[] = {"driver-tx-byte", "tx-byte", "tx-bytes"};

std::optional<std::int64_t> value_of(const IfCounters::Values& values, std::string_view name) {
  const auto at = values.find(name);
  return at == values.end() ? std::nullopt : std::optional(at->second);
}

}  // namespace

std::optional<FastPath::Grown> FastPath::step(Side& side, const IfCounters::Values& values, bool receiving) {
  if (side.whole_name.empty()) {
    for (const std::string_view name : receiving ? kReceived : kSent) {
      if (value_of(values, name)) {
        side.whole_name = name;
        break;
      }
    }
  }
  const auto whole = value_of(values, side.whole_name);
  const auto fast = value_of(values, receiving ? "fp-rx-byte" : "fp-tx-byte");
  const auto old_whole = std::exchange(side.whole, whole);
  const auto old_fast = std::exchange(side.fast, fast);
  if (!whole || !fast || !old_whole || !old_fast) return std::nullopt;
  if (*whole < *old_whole || *fast < *old_fast) return std::nullopt;
  if (!receiving && *fast == 0) return std::nullopt;
  return Grown{*whole - *old_whole, *fast - *old_fast};
}

void FastPath::take(const IfCounters::Interfaces& counters, const Inventory& inventory, std::int64_t now_ns,
                    model::EventBuilder& out) {
  std::map<std::string, Interface, std::less<>> now;
  bool any = false;
  for (const auto& [name, values] : counters) {
    const auto old = before_.find(name);
    Interface interface = old != before_.end() ? old->second : Interface{};
    const std::optional<Grown> rx = step(interface.rx, values, true);
    const std::optional<Grown> tx = step(interface.tx, values, false);
    now.emplace(name, std::move(interface));
    if (!rx && !tx) continue;
    any = true;
    out.row(derived_iface(), {inventory.keys(name).front()});
    const auto put = [&](const std::optional<Grown>& grown, std::string_view whole, std::string_view fast,
                         std::string_view share) {
      if (!grown) return;
      out.integer(whole, grown->whole).integer(fast, grown->fast);
      if (grown->whole > 0)
        out.real(share, std::min(1.0, static_cast<double>(grown->fast) / static_cast<double>(grown->whole)));
    };
    put(rx, "rx_bytes", "fp_rx_bytes", "fp_rx_share");
    put(tx, "tx_bytes", "fp_tx_bytes", "fp_tx_share");
  }
  if (any) out.head().dt_ns = now_ns - before_ns_;
  before_ = std::move(now);
  before_ns_ = now_ns;
}

}  // namespace mikroscope::routeros
