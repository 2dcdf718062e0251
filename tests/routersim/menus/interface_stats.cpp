#include "tests/routersim/menus/interface_stats.h"

#include <fmt/format.h>

#include "tests/routersim/state.h"

namespace mikroscope::routersim {
namespace {

std::string text(std::int64_t value) {
  return std::to_string(value);
}

}  // namespace

void put_counters(const State& state, std::int64_t number, Row& row) {
  const std::int64_t seconds = state.now() / 1000;
  const std::int64_t rx = number * 1'000'000 + seconds * 1200;
  const std::int64_t tx = number * 2'000'000 + seconds * 1500;
  row.put("rx-byte", text(rx));
  row.put("tx-byte", text(tx));
  row.put("rx-packet", text(number * 1'000 + seconds * 10));
  row.put("tx-packet", text(number * 2'000 + seconds * 10));
  row.put("fp-rx-byte", text(rx / 4));
  row.put("fp-tx-byte", text(row.text("type") == "bridge" ? 0 : tx / 2));
  row.put("rx-drop", "0");
  row.put("tx-drop", "0");
  row.put("link-downs", "0");
}

void put_port_counters(const State& state, std::int64_t number, Row& row) {
  const std::int64_t seconds = state.now() / 1000;
  // The wire has seen more than the driver: the switch forwards by itself.
  row.put("driver-rx-byte", text(number * 1'000'000 + seconds * 1200));
  row.put("driver-tx-byte", text(number * 2'000'000 + seconds * 1500));
  row.put("rx-bytes", text(number * 9'000'000 + seconds * 9000));
  row.put("tx-bytes", text(number * 8'000'000 + seconds * 8000));
  row.put("tx-unicast", text(number * 700 + seconds * 9));
  row.put("tx-broadcast", text(seconds / 10));
  row.put("rx-overflow", number == 2 ? "652364" : "0");
  row.put("rx-fcs-error", "0");
  row.put("tx-rx-64", text(seconds * 3));
  row.put("tx-rx-1024-max", text(seconds * 12));
}

Outcome monitor_traffic(const State& state, const Request& request) {
  if (state.faults.monitor_trap) return Outcome::trap("failure: simulated");
  for (const auto& [name, value] : request.attributes) {
    if (name != "interface" && name != "once" && name != ".proplist")
      return Outcome::trap(fmt::format("unknown parameter {}", name));
  }
  Outcome outcome;
  const std::string wanted = request.attributes.text("interface");
  for (std::size_t from = 0; from <= wanted.size();) {
    const std::size_t to = std::min(wanted.find(',', from), wanted.size());
    const std::string name = wanted.substr(from, to - from);
    from = to + 1;
    const Row* const interface = state.interface(name);
    if (interface == nullptr) return Outcome::trap("input does not match any value of interface", 1);
    const std::int64_t number = std::stoll(interface->text(".id").substr(1), nullptr, 16);
    const std::int64_t swing = state.now() / 1000 % 7;
    Row row{{"name", name},
            {"rx-packets-per-second", text(number * 100 + swing)},
            {"rx-bits-per-second", text((number * 100 + swing) * 8'000)},
            {"fp-rx-packets-per-second", "0"},
            {"fp-rx-bits-per-second", "0"},
            {"tx-packets-per-second", text(number * 50 + swing)},
            {"tx-bits-per-second", text((number * 50 + swing) * 12'000)},
            {"fp-tx-packets-per-second", "0"},
            {"fp-tx-bits-per-second", "0"},
            {"tx-queue-drops-per-second", "0"}};
    if (interface->text("type") != "ether") {
      row.put("rx-drops-per-second", "0");
      row.put("tx-drops-per-second", "0");
    }
    outcome.rows.push_back(std::move(row));
  }
  return outcome;
}

}  // namespace mikroscope::routersim
