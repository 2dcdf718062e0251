// What the API tier stores.
#pragma once

#include <vector>

#include "model/measurement.h"

namespace mikroscope::routeros {

const model::MeasurementPtr& api_system();
const model::MeasurementPtr& api_core();
const model::MeasurementPtr& api_health();
const model::MeasurementPtr& api_iface();
const model::MeasurementPtr& api_ifinfo();
const model::MeasurementPtr& api_conntrack();
const model::MeasurementPtr& api_queue();
const model::MeasurementPtr& api_firewall();
const model::MeasurementPtr& api_ppp();
const model::MeasurementPtr& api_dhcp();
const model::MeasurementPtr& api_hotspot();
const model::MeasurementPtr& api_wireless();
const model::MeasurementPtr& api_routes();
const model::MeasurementPtr& api_neighbors();
const model::MeasurementPtr& api_error();
// The fast path's part of what interfaces moved between two readings of their counters.
const model::MeasurementPtr& derived_iface();

// api_ifcounters with these fields, as a router calls its counters: rx-byte becomes the field rx_byte.
model::MeasurementPtr api_ifcounters(const std::vector<std::string>& counters);

// All of the above, for pages and rules; api_ifcounters with the counters of an RB5009.
std::vector<model::MeasurementPtr> api_measurements();

}  // namespace mikroscope::routeros
