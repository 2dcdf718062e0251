#include "routeros/checks/support.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "routeros/session/console.h"
#include "routeros/session/text.h"

namespace mikroscope::routeros {

Finding ok(std::string evidence) {
  return {Level::ok, std::move(evidence), {}, false};
}
Finding warn(std::string evidence, std::string fix) {
  return {Level::warn, std::move(evidence), std::move(fix), false};
}
Finding missing(std::string evidence, std::string fix) {
  return {Level::missing, std::move(evidence), std::move(fix), false};
}
Finding skip(std::string evidence) {
  return {Level::skip, std::move(evidence), {}, false};
}

namespace {

Finding not_known(std::string evidence, std::string fix) {
  return {Level::warn, std::move(evidence), std::move(fix), true};
}

}  // namespace

std::optional<Finding> unreadable(const Facts& facts, std::initializer_list<std::string_view> menus) {
  for (const std::string_view path : menus) {
    if (facts.assumed) return skip("not read: no router was asked");
    const DeviceError* const refused = facts.refused(path);
    if (refused == nullptr) {
      if (facts.rows(path) == nullptr) return skip(fmt::format("this RouterOS has no {}", path));
      continue;
    }
    const std::string words = printable(refused->message);
    if (refused->not_permitted()) {
      const MenuDef* const menu = find_menu(path);
      const std::string_view policy = menu == nullptr ? "read" : menu->policy;
      return not_known(fmt::format("not known: the account may not read {} ({})", path, words),
                       fmt::format("add the policy \"{}\" to the account's group: `/user/group/set GROUP "
                                   "policy=…,{}`",
                                   policy, policy));
    }
    if (refused->no_such_command()) return skip(fmt::format("this RouterOS has no {} ({})", path, words));
    return not_known(fmt::format("not known: reading {} failed ({})", path, words),
                     fmt::format("see what `{}/print` says on the router, then run this again", path));
  }
  return std::nullopt;
}

std::string enumerate(const std::vector<std::string>& items) {
  std::string out;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0) out += i + 1 == items.size() ? " and " : ", ";
    out += items[i];
  }
  return out;
}

std::string count_of(std::size_t n, std::string_view singular, std::string_view plural) {
  return fmt::format("{} {}", n, n == 1 ? singular : plural);
}

std::string mib(std::uint64_t bytes) {
  return fmt::format("{}.{} MiB", bytes >> 20, (bytes & ((1U << 20) - 1)) * 10 >> 20);
}

std::string quoted(std::string_view value) {
  const bool bare = !value.empty() && std::all_of(value.begin(), value.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || base::is_digit(c) || c == '-' || c == '_';
  });
  return bare && !base::is_digit(value.front()) ? std::string(value) : console_value(value);
}

}  // namespace mikroscope::routeros
