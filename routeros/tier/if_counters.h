// Counters of interfaces: whichever ones a router has, merged over the menus that have some.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "model/event_builder.h"
#include "routeros/session/row.h"
#include "routeros/tier/inventory.h"

namespace mikroscope::routeros {

// rx-…, tx-…, fp-…, driver-… and link-downs; not the rates among them. Sizes and settings are no counters,
// although they are numbers too.
bool is_interface_counter(std::string_view name);

class IfCounters {
 public:
  using Values = std::map<std::string, std::int64_t, std::less<>>;  // by the router's name: rx-byte
  using Interfaces = std::map<std::string, Values, std::less<>>;    // by the interface's own name

  // Takes every plain number; what a router does not send stays absent.
  void add(const std::vector<Row>& rows);
  const Interfaces& now() const { return now_; }
  // Rows of api_ifcounters. Its fields are every counter that was ever seen, so that they stay the same.
  void write(const Inventory& inventory, model::EventBuilder& out);
  // Before the next reading.
  void clear() { now_.clear(); }

 private:
  Interfaces now_;
  std::set<std::string, std::less<>> names_;
  model::MeasurementPtr measurement_;
};

}  // namespace mikroscope::routeros
