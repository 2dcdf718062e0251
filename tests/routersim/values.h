// What a menu takes as a value. A check may rewrite the value to the form in which the router keeps it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tests/routersim/request.h"

namespace mikroscope::routersim {

struct State;

// Nothing: it is fine.
using Check = std::optional<Trap> (*)(const State& state, std::string_view name, std::string& value);

std::optional<Trap> check_flag(const State&, std::string_view name, std::string& value);    // -> true, false
std::optional<Trap> check_number(const State&, std::string_view name, std::string& value);  // 0 .. 2^32-1
std::optional<Trap> check_port(const State&, std::string_view name, std::string& value);    // 0 .. 65535
std::optional<Trap> check_bytes(const State&, std::string_view name, std::string& value);   // 64M -> octets
std::optional<Trap> check_time(const State&, std::string_view name, std::string& value);    // 10s, 1m, 5
std::optional<Trap> check_ip(const State&, std::string_view name, std::string& value);      // 192.0.2.1
std::optional<Trap> check_prefix(const State&, std::string_view name, std::string& value);  // -> a/len
std::optional<Trap> check_address6(const State&, std::string_view name, std::string& value);
std::optional<Trap> check_interface(const State&, std::string_view name,
                                    std::string& value);  // one that exists
// The same with a leading '!', for firewall rules.
std::optional<Trap> check_interface_matcher(const State&, std::string_view name, std::string& value);
std::optional<Trap> check_list(const State&, std::string_view name, std::string& value);  // an interface list
std::optional<Trap> check_list_matcher(const State&, std::string_view name, std::string& value);
std::optional<Trap> check_matcher_address(const State&, std::string_view name, std::string& value);
std::optional<Trap> check_mode(const State&, std::string_view name, std::string& value);  // of mounts, 7.23

Trap bad_value(std::string_view name);  // "input does not match any value of NAME"

// IPv4 as a number; nothing for other text.
std::optional<std::uint32_t> parse_ip(std::string_view text);
std::string print_ip(std::uint32_t ip);
struct Prefix {
  std::uint32_t ip = 0;  // as written, host bits kept
  int length = 32;
  std::uint32_t mask() const { return length == 0 ? 0 : ~std::uint32_t{0} << (32 - length); }
  std::uint32_t network() const { return ip & mask(); }
  bool holds(std::uint32_t other) const { return (other & mask()) == network(); }
};
std::optional<Prefix> parse_prefix(std::string_view text);  // "192.0.2.0/24", "192.0.2.1"
// Octets: 1048576, 16M, 16MiB, 64k; nothing for other text.
std::optional<std::uint64_t> parse_size(std::string_view text);
// Milliseconds: 10s, 1m30s, 500ms, 5 (seconds), 00:00:10.
std::optional<std::int64_t> parse_span(std::string_view text);
// "1w2d3h4m5s", as the API prints a time.
std::string print_span(std::int64_t seconds);

}  // namespace mikroscope::routersim
