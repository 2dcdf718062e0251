#include "routeros/tier/menu.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "routeros/session/value.h"

namespace mikroscope::routeros {

std::int64_t pace_ns(Pace pace, const ApiTierOptions& options) {
  switch (pace) {
    case Pace::round:
      return options.every_ns;
    case Pace::counters:
      return options.counters_every_ns;
    case Pace::conntrack:
      return options.conntrack_every_ns;
    case Pace::clients:
      return options.extras ? options.clients_every_ns : 0;
  }
  return 0;
}

ApiCommand command_of(const TierMenu& menu, const TierState& state) {
  ApiCommand command{std::string(menu.path), {}, {}};
  if (!menu.proplist.empty()) command.attributes.push_back({".proplist", std::string(menu.proplist)});
  if (!menu.mode.empty()) command.attributes.push_back({std::string(menu.mode), ""});
  for (std::string_view words = menu.query; !words.empty();) {
    const std::size_t end = std::min(words.find(' '), words.size());
    command.queries.emplace_back(words.substr(0, end));
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  if (menu.complete != nullptr) menu.complete(state, command);
  return command;
}

const std::vector<const TierMenu*>& all_tier_menus() {
  static const std::vector<const TierMenu*> all = [] {
    std::vector<const TierMenu*> menus;
    for (const auto part : {router_menus(), interface_menus(), service_menus()}) {
      for (const TierMenu& menu : part) menus.push_back(&menu);
    }
    return menus;
  }();
  return all;
}

std::optional<std::int64_t> whole_number(std::string_view text) {
  if (text.ends_with('%')) text.remove_suffix(1);
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (text.empty() || error != std::errc() || stop != end) return std::nullopt;
  return value;
}

std::optional<double> real_number(std::string_view text) {
  if (text.ends_with('%')) text.remove_suffix(1);
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (text.empty() || error != std::errc() || stop != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

void put_integer(const Row& row, std::string_view attribute, std::string_view field,
                 model::EventBuilder& out) {
  if (const auto value = whole_number(row.text(attribute))) out.integer(field, *value);
}

std::optional<std::int64_t> counted(const ApiResult& result) {
  for (const Attribute& attribute : result.done) {
    if (attribute.name == "ret") return whole_number(attribute.value);
  }
  for (const Row& row : result.rows) {
    if (row.find("ret")) return whole_number(row.text("ret"));
  }
  return std::nullopt;
}

}  // namespace mikroscope::routeros
