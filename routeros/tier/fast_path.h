// The fast path's part of what interfaces move: measurement derived_iface.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "model/event_builder.h"
#include "routeros/tier/if_counters.h"

namespace mikroscope::routeros {

class FastPath {
 public:
  // Compares with the reading before, `now_ns` on a clock that never steps; the first one only begins. Of a
  // side that cannot be known nothing is written: a counter is absent or went back, or the interface never
  // counted a byte on the fast path while sending (its counter does not work there). Sets the event's dt_ns.
  void take(const IfCounters::Interfaces& counters, const Inventory& inventory, std::int64_t now_ns,
            model::EventBuilder& out);
  // Counters start over.
  void forget() { before_.clear(); }

 private:
  struct Side {
    // Which counter is the whole: chosen once, since the driver and the wire count different things.
    std::string whole_name;
    std::optional<std::int64_t> whole;
    std::optional<std::int64_t> fast;
  };
  struct Interface {
    Side rx;
    Side tx;
  };
  struct Grown {
    std::int64_t whole = 0;
    std::int64_t fast = 0;
  };
  static std::optional<Grown> step(Side& side, const IfCounters::Values& values, bool receiving);

  std::map<std::string, Interface, std::less<>> before_;
  std::int64_t before_ns_ = 0;
};

}  // namespace mikroscope::routeros
