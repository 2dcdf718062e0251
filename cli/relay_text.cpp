#include "cli/relay_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "routeros/session/text.h"

namespace mikroscope::cli {
namespace {

int digit_of(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}

std::string lower_case(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

}  // namespace

std::optional<std::string> decode_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  std::size_t padding = 0;
  while (padding < 2 && padding < text.size() && text[text.size() - 1 - padding] == '=') ++padding;
  std::string out;
  out.reserve(text.size() / 4 * 3);
  const std::size_t digits = text.size() - padding;
  for (std::size_t at = 0; at < text.size(); at += 4) {
    unsigned bits = 0;
    for (std::size_t i = at; i < at + 4; ++i) {
      const int digit = i < digits ? digit_of(text[i]) : 0;
      if (digit < 0) return std::nullopt;
      bits = bits << 6 | static_cast<unsigned>(digit);
    }
    out += static_cast<char>(bits >> 16 & 0xff);
    out += static_cast<char>(bits >> 8 & 0xff);
    out += static_cast<char>(bits & 0xff);
  }
  out.resize(out.size() - padding);
  return out;
}

std::optional<int> fetch_status(std::string_view message) {
  constexpr std::string_view kWord = "status ";
  const std::string low = lower_case(message);
  const std::size_t at = low.find(kWord);
  if (at == std::string::npos) return std::nullopt;
  const std::string digits = low.substr(at + kWord.size(), 3);
  std::uint64_t status = 0;
  const bool three = digits.size() == 3 && std::all_of(digits.begin(), digits.end(), base::is_digit);
  if (!three || !base::parse_u64(digits, status) || status < 100 || status > 599) return std::nullopt;
  return static_cast<int>(status);
}

base::Error fetch_error(const routeros::DeviceError& error, std::string_view url, std::string_view router) {
  const std::string said = routeros::printable(error.message);
  if (error.not_permitted()) {
    return {fmt::format("{} may not use /tool/fetch, which the relay needs: {}", router, said),
            "give its group the policy test, or reach the agent with --transport direct", base::Exit::auth};
  }
  if (lower_case(error.message).find("device-mode") != std::string::npos) {
    return {fmt::format("{} does not let /tool/fetch run: {}", router, said),
            "/system/device-mode/update fetch=yes on the router, or --transport direct", base::Exit::failed};
  }
  return {fmt::format("{} could not fetch {}: {}", router, url, said),
          "mikroscope status --router … shows whether the agent runs", base::Exit::failed};
}

}  // namespace mikroscope::cli
