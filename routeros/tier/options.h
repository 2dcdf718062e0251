// What the API tier asks a router, and how often.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/host/result.h"

namespace mikroscope::routeros {

enum class ApiPreset : std::uint8_t {
  off,   // nothing is asked
  slow,  // every 10 s: load, memory, counters of interfaces
  full,  // every second, with health, rates of all interfaces, connections, queues, clients and rules
};
std::optional<ApiPreset> parse_api_preset(std::string_view name);

// Cadences in nanoseconds; 0 asks never. None is shorter than a round.
struct ApiTierOptions {
  std::int64_t every_ns = 10'000'000'000;           // of a round; 0: no tier
  std::int64_t counters_every_ns = 10'000'000'000;  // counters of interfaces; with extras queues and rules
  std::int64_t labels_every_ns = 300'000'000'000;   // names, comments, lists, bridges: at start in any case
  std::int64_t conntrack_every_ns = 0;              // how many connections are tracked
  std::int64_t clients_every_ns = 60'000'000'000;   // of extras: leases, PPP, hotspot, wireless, routes
  bool health = false;
  bool extras = false;  // queues, clients, routes, neighbours, rules with a comment
  // Whose rates are asked (/interface/monitor-traffic): names and globs (`*`, `?`), "all", "type=ether"; a
  // leading '!' takes away what the others chose. Empty: none.
  std::vector<std::string> interfaces;

  static ApiTierOptions of(ApiPreset preset);
  bool off() const { return every_ns <= 0; }
};

// "ether*,!ether5,type=bridge". An empty item, or nothing but exclusions, is an error.
base::Result<std::vector<std::string>> parse_interface_choice(std::string_view text);

bool glob_matches(std::string_view pattern, std::string_view text);

struct Inventory;

// The interfaces that `choice` names, as the router spells them, in its order.
struct ChosenInterfaces {
  std::vector<std::string> names;
  std::vector<std::string> unknown;  // items of `choice` that name nothing
};
ChosenInterfaces choose_interfaces(const std::vector<std::string>& choice, const Inventory& inventory);

}  // namespace mikroscope::routeros
