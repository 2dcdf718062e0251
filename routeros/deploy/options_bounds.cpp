#include "routeros/deploy/options_bounds.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace mikroscope::routeros {
namespace {

bool letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || base::is_digit(c);
}

}  // namespace

bool is_word(std::string_view text, std::size_t longest, std::string_view others) {
  return !text.empty() && text.size() <= longest && letter_or_digit(text.front()) &&
         std::all_of(text.begin(), text.end(),
                     [&](char c) { return letter_or_digit(c) || others.find(c) != std::string_view::npos; });
}

bool parse_digits(std::string_view text, std::uint64_t& out) {
  return std::all_of(text.begin(), text.end(), base::is_digit) && base::parse_u64(text, out);
}

base::Error refuse(const std::string& given, std::string_view bounds) {
  return {fmt::format("\"{}\" is not allowed", given), fmt::format("give {}", bounds), base::Exit::usage};
}

bool parse_ipv4(const std::string& text, std::uint32_t& out) {
  in_addr parsed{};
  if (inet_pton(AF_INET, text.c_str(), &parsed) != 1) return false;
  out = ntohl(parsed.s_addr);
  return true;
}
std::string ipv4_text(std::uint32_t address) {
  return fmt::format("{}.{}.{}.{}", address >> 24, address >> 16 & 255, address >> 8 & 255, address & 255);
}

bool parse_network(const std::string& text, std::uint32_t& address, std::uint32_t& length) {
  const std::size_t slash = text.find('/');
  std::uint64_t bits = 0;
  if (slash == std::string::npos || !parse_ipv4(text.substr(0, slash), address) ||
      !parse_digits(std::string_view(text).substr(slash + 1), bits) || bits > 32) {
    return false;
  }
  length = static_cast<std::uint32_t>(bits);
  return bits == 32 || (bits == 0 ? address == 0 : (address << bits) == 0);
}

bool parse_memory(std::string_view text, std::uint64_t& bytes) {
  std::uint64_t unit = 1;
  if (!text.empty() && !base::is_digit(text.back())) {
    constexpr std::string_view kUnits = "KMG";
    const std::size_t power = kUnits.find(text.back());
    if (power == std::string_view::npos) return false;
    unit <<= 10 * (power + 1);
    text.remove_suffix(1);
  }
  std::uint64_t number = 0;
  if (!parse_digits(text, number) || number > 99'999'999'999) return false;
  bytes = number * unit;
  return true;
}

bool parse_span(const std::string& text, std::uint32_t& seconds) {
  std::uint64_t number = 0;
  if (text.size() < 2 || text.size() > 5 ||
      !parse_digits(std::string_view(text).substr(0, text.size() - 1), number)) {
    return false;
  }
  const std::size_t unit = std::string_view("smh").find(text.back());
  if (unit == std::string_view::npos) return false;
  constexpr std::uint32_t kSeconds[] = {1, 60, 3600};
  seconds = static_cast<std::uint32_t>(number) * kSeconds[unit];
  return true;
}

}  // namespace mikroscope::routeros
