// Events as the tiers make them, for tests of stores: a tick of the kernel tier, rows of the RouterOS tier,
// hostile names.
#pragma once

#include "tests/sinks/stores/metric_events.h"

namespace mikroscope::sinks::test {

// Ports of a router with a rate and counters whose names have dashes; the comment of the port is `label`.
inline model::Event api_event(const std::string& host, const std::string& label,
                              std::int64_t wall_ns = kStart) {
  using model::Kind;
  using model::Type;
  using proc::Unit;
  static const model::MeasurementPtr iface =
      shared({"api_iface",
              {{"interface", true, false, "its name"}, {"label", true, true, "its comment"}},
              {{"rx_bps", Kind::level, Type::integer, Unit::none, 0, false, "received", {}},
               {"tx_bps", Kind::level, Type::integer, Unit::none, 0, false, "sent", {}}},
              "rates of ports"});
  static const model::MeasurementPtr counters =
      shared({"api_ifcounters",
              {{"interface", true, false, "its name"}, {"label", true, true, "its comment"}},
              {{"driver-rx-byte", Kind::running, Type::integer, Unit::bytes, 0, false, "received", {}},
               {"tx-rx-1024-max", Kind::running, Type::integer, Unit::none, 0, false, "long ones", {}}},
              "counters of ports"});
  const auto origin = std::make_shared<const model::Origin>(model::Origin{host, "one", "boot"});
  model::EventBuilder builder(model::EventKind::api, origin, wall_ns);
  builder.row(iface, {"ether1", label}).integer("rx_bps", 8'960'000).integer("tx_bps", 120'000);
  builder.row(counters, {"ether1", label})
      .integer("driver-rx-byte", 29'700'000'000)
      .integer("tx-rx-1024-max", 0);
  return builder.finish();
}

}  // namespace mikroscope::sinks::test
