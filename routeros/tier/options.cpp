#include "routeros/tier/options.h"

#include <fmt/format.h>

#include <algorithm>

#include "routeros/tier/inventory.h"

namespace mikroscope::routeros {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::string_view kType = "type=";

bool item_matches(std::string_view item, const InterfaceInfo& interface) {
  if (item == "all") return true;
  if (item.starts_with(kType)) return glob_matches(item.substr(kType.size()), interface.type);
  return glob_matches(item, interface.name);
}

}  // namespace

std::optional<ApiPreset> parse_api_preset(std::string_view name) {
  if (name == "off") return ApiPreset::off;
  if (name == "slow") return ApiPreset::slow;
  if (name == "full") return ApiPreset::full;
  return std::nullopt;
}

ApiTierOptions ApiTierOptions::of(ApiPreset preset) {
  ApiTierOptions options;
  if (preset == ApiPreset::off) options.every_ns = 0;
  if (preset != ApiPreset::full) return options;
  options.every_ns = kSecond;
  options.conntrack_every_ns = 10 * kSecond;
  options.health = true;
  options.extras = true;
  options.interfaces = {"all"};
  return options;
}

base::Result<std::vector<std::string>> parse_interface_choice(std::string_view text) {
  std::vector<std::string> items;
  bool chooses = text.empty();
  for (std::size_t from = 0; from <= text.size() && !text.empty();) {
    const std::size_t to = std::min(text.find(',', from), text.size());
    const std::string_view item = text.substr(from, to - from);
    from = to + 1;
    if (item.empty() || item == "!") {
      return base::Error{fmt::format("\"{}\" has an empty name in its list of interfaces", text),
                         "write names or globs with commas between: ether1,sfp*,type=bridge",
                         base::Exit::usage};
    }
    chooses = chooses || item.front() != '!';
    items.emplace_back(item);
  }
  if (!chooses) {
    return base::Error{fmt::format("\"{}\" only takes interfaces away", text),
                       fmt::format("name some to begin with: all,{}", text), base::Exit::usage};
  }
  return items;
}

bool glob_matches(std::string_view pattern, std::string_view text) {
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos;  // the last '*', which takes one more on every dead end
  std::size_t taken = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      taken = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++taken;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

ChosenInterfaces choose_interfaces(const std::vector<std::string>& choice, const Inventory& inventory) {
  ChosenInterfaces chosen;
  std::vector<bool> used(choice.size(), false);
  for (const InterfaceInfo& interface : inventory.interfaces) {
    bool wanted = false;
    bool unwanted = false;
    for (std::size_t i = 0; i < choice.size(); ++i) {
      const bool away = choice[i].starts_with('!');
      if (!item_matches(std::string_view(choice[i]).substr(away ? 1 : 0), interface)) continue;
      used[i] = true;
      (away ? unwanted : wanted) = true;
    }
    if (!wanted || unwanted) continue;
    // The router reads a comma as the end of a name.
    if (interface.raw_name.find(',') != std::string::npos) {
      chosen.unknown.push_back(interface.name);
    } else {
      chosen.names.push_back(interface.raw_name);
    }
  }
  for (std::size_t i = 0; i < choice.size(); ++i) {
    if (!used[i]) chosen.unknown.push_back(choice[i]);
  }
  return chosen;
}

}  // namespace mikroscope::routeros
