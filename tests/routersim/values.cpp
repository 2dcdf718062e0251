#include "tests/routersim/values.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <charconv>

#include "tests/routersim/state.h"

namespace mikroscope::routersim {
namespace {

std::optional<std::uint64_t> digits(std::string_view text) {
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  if (text.empty() || std::from_chars(text.data(), end, value).ptr != end) return std::nullopt;
  return value;
}

std::optional<Trap> in_range(std::string_view name, const std::string& value, std::uint64_t high) {
  const auto number = digits(value);
  if (!number) return Trap{fmt::format("invalid value for argument {}", name), 1};
  if (*number > high) return Trap{fmt::format("value of {} is out of range (0 .. {})", name, high), 1};
  return std::nullopt;
}

Trap invalid(std::string_view name) {
  return {fmt::format("invalid value for argument {}", name), 1};
}

}  // namespace

Trap bad_value(std::string_view name) {
  return {fmt::format("input does not match any value of {}", name), 1};
}

std::optional<std::uint32_t> parse_ip(std::string_view text) {
  in_addr address{};
  if (inet_pton(AF_INET, std::string(text).c_str(), &address) != 1) return std::nullopt;
  return ntohl(address.s_addr);
}

std::string print_ip(std::uint32_t ip) {
  return fmt::format("{}.{}.{}.{}", ip >> 24, ip >> 16 & 255, ip >> 8 & 255, ip & 255);
}

std::optional<Prefix> parse_prefix(std::string_view text) {
  Prefix prefix;
  const std::size_t slash = text.find('/');
  const auto ip = parse_ip(text.substr(0, slash));
  if (!ip) return std::nullopt;
  prefix.ip = *ip;
  if (slash != std::string_view::npos) {
    const auto length = digits(text.substr(slash + 1));
    if (!length || *length > 32) return std::nullopt;
    prefix.length = static_cast<int>(*length);
  }
  return prefix;
}

std::optional<std::uint64_t> parse_size(std::string_view text) {
  const std::size_t unit_at = text.find_first_not_of("0123456789");
  const auto number = digits(text.substr(0, unit_at));
  if (!number) return std::nullopt;
  const std::string_view unit = unit_at == std::string_view::npos ? "" : text.substr(unit_at);
  if (unit.empty() || unit == "B") return *number;
  if (unit == "k" || unit == "K" || unit == "KiB") return *number << 10;
  if (unit == "M" || unit == "MiB") return *number << 20;
  if (unit == "G" || unit == "GiB") return *number << 30;
  return std::nullopt;
}

std::optional<std::int64_t> parse_span(std::string_view text) {
  int h = 0;
  int m = 0;
  int s = 0;
  if (text.find(':') != std::string_view::npos) {
    if (std::sscanf(std::string(text).c_str(), "%d:%d:%d", &h, &m, &s) != 3) return std::nullopt;
    return ((h * 60LL + m) * 60 + s) * 1000;
  }
  if (text.empty()) return std::nullopt;
  std::int64_t total = 0;
  while (!text.empty()) {
    const std::size_t unit_at = text.find_first_not_of("0123456789");
    const auto number = digits(text.substr(0, unit_at));
    if (!number) return std::nullopt;
    text = unit_at == std::string_view::npos ? std::string_view() : text.substr(unit_at);
    const std::size_t next = text.find_first_of("0123456789");
    const std::string_view unit = text.substr(0, next);
    text = next == std::string_view::npos ? std::string_view() : text.substr(next);
    const std::int64_t factor = unit.empty() || unit == "s" ? 1000
                                : unit == "ms"              ? 1
                                : unit == "m"               ? 60'000
                                : unit == "h"               ? 3'600'000
                                : unit == "d"               ? 86'400'000
                                : unit == "w"               ? 604'800'000
                                                            : 0;
    if (factor == 0) return std::nullopt;
    total += static_cast<std::int64_t>(*number) * factor;
  }
  return total;
}

std::string print_span(std::int64_t seconds) {
  struct Unit {
    std::int64_t seconds;
    char letter;
  };
  constexpr Unit kUnits[] = {{604'800, 'w'}, {86'400, 'd'}, {3'600, 'h'}, {60, 'm'}, {1, 's'}};
  std::string text;
  for (const Unit& unit : kUnits) {
    if (seconds < unit.seconds) continue;
    text += fmt::format("{}{}", seconds / unit.seconds, unit.letter);
    seconds %= unit.seconds;
  }
  return text.empty() ? "0s" : text;
}

std::optional<Trap> check_flag(const State&, std::string_view name, std::string& value) {
  if (value == "yes" || value == "true") {
    value = "true";
  } else if (value == "no" || value == "false") {
    value = "false";
  } else {
    return bad_value(name);
  }
  return std::nullopt;
}

std::optional<Trap> check_number(const State&, std::string_view name, std::string& value) {
  return in_range(name, value, 4'294'967'295);
}

std::optional<Trap> check_port(const State&, std::string_view name, std::string& value) {
  return in_range(name, value, 65'535);
}

std::optional<Trap> check_bytes(const State&, std::string_view name, std::string& value) {
  if (value == "unlimited") return std::nullopt;
  const auto bytes = parse_size(value);
  if (!bytes) return invalid(name);
  value = fmt::format("{}", *bytes);
  return std::nullopt;
}

std::optional<Trap> check_time(const State&, std::string_view name, std::string& value) {
  if (value == "none" || value == "never") return std::nullopt;
  const auto ms = parse_span(value);
  if (!ms) return invalid(name);
  if (*ms % 1000 == 0) value = print_span(*ms / 1000);
  return std::nullopt;
}

std::optional<Trap> check_ip(const State&, std::string_view name, std::string& value) {
  if (value.empty()) return std::nullopt;
  if (!parse_ip(value)) return invalid(name);
  return std::nullopt;
}

std::optional<Trap> check_prefix(const State&, std::string_view name, std::string& value) {
  const auto prefix = parse_prefix(value);
  if (!prefix) return invalid(name);
  value = fmt::format("{}/{}", print_ip(prefix->ip), prefix->length);
  return std::nullopt;
}

std::optional<Trap> check_address6(const State&, std::string_view name, std::string& value) {
  if (value.empty()) return std::nullopt;
  in6_addr address{};
  const std::string bare = value.substr(0, value.find('/'));
  if (inet_pton(AF_INET6, bare.c_str(), &address) != 1) return invalid(name);
  return std::nullopt;
}

std::optional<Trap> check_interface(const State& state, std::string_view name, std::string& value) {
  if (state.interface(value) == nullptr) return bad_value(name);
  return std::nullopt;
}

std::optional<Trap> check_interface_matcher(const State& state, std::string_view name, std::string& value) {
  const std::string bare = value.substr(value.rfind('!', 0) == 0 ? 1 : 0);
  if (bare.empty() || bare.rfind("all-", 0) == 0 || state.interface(bare) != nullptr) return std::nullopt;
  return bad_value(name);
}

std::optional<Trap> check_list(const State& state, std::string_view name, std::string& value) {
  if (!state.interface_list(value)) return bad_value(name);
  return std::nullopt;
}

std::optional<Trap> check_list_matcher(const State& state, std::string_view name, std::string& value) {
  std::string bare = value.substr(value.rfind('!', 0) == 0 ? 1 : 0);
  if (bare.empty()) return std::nullopt;
  return check_list(state, name, bare);
}

std::optional<Trap> check_matcher_address(const State&, std::string_view name, std::string& value) {
  const std::string bare = value.substr(value.rfind('!', 0) == 0 ? 1 : 0);
  if (bare.empty() || parse_prefix(bare)) return std::nullopt;
  const std::size_t dash = bare.find('-');
  if (dash != std::string::npos && parse_ip(bare.substr(0, dash)) && parse_ip(bare.substr(dash + 1)))
    return std::nullopt;
  return invalid(name);
}

std::optional<Trap> check_mode(const State&, std::string_view name, std::string& value) {
  if (value == "rw" || value == "ro" || value == "rw,noexec" || value == "ro,noexec") return std::nullopt;
  return bad_value(name);
}

}  // namespace mikroscope::routersim
