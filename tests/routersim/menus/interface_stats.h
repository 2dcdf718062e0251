// What interfaces of the double count. Numbers rise with its clock and differ between interfaces.
#pragma once

#include <cstdint>

#include "tests/routersim/request.h"

namespace mikroscope::routersim {

struct State;

// Of every interface: bytes, packets, drops, the fast path's part.
void put_counters(const State& state, std::int64_t number, Row& row);
// What only ports count, as /interface/ethernet/print stats has it.
void put_port_counters(const State& state, std::int64_t number, Row& row);
// /interface/monitor-traffic interface=a,b once: a row for each, in the order asked. As with an RB5009, no
// row has error rates, and only virtual interfaces have rx-drops and tx-drops. One unknown name fails all.
Outcome monitor_traffic(const State& state, const Request& request);

}  // namespace mikroscope::routersim
