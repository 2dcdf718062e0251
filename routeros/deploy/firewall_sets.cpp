#include "routeros/deploy/firewall_sets.h"

#include <algorithm>

#include "routeros/session/value.h"

namespace mikroscope::routeros {
namespace {

constexpr std::string_view kBuiltin[] = {"all", "none", "dynamic", "static"};
constexpr int kDeepest = 16;  // lists that include each other in a circle

bool ignored(const Row& row, const std::string& comment) {
  return row.flag("disabled") || (!comment.empty() && row.text("comment") == comment);
}

}  // namespace

bool builtin_list(std::string_view name) {
  return std::find(std::begin(kBuiltin), std::end(kBuiltin), name) != std::end(kBuiltin);
}

InterfaceLists::InterfaceLists(const Facts& facts, std::vector<PlannedMember> planned,
                               std::string ignore_comment)
    : facts_(facts), planned_(std::move(planned)), ignore_comment_(std::move(ignore_comment)) {}

Truth InterfaceLists::has(std::string_view list, std::string_view interface) const {
  return has(list, interface, 0);
}

Truth InterfaceLists::has(std::string_view list, std::string_view interface, int depth) const {
  if (list == "all") return Truth::yes;
  if (list == "none" || list.starts_with('*')) return Truth::no;
  if (list == "dynamic" || list == "static") {
    if (const std::vector<Row>* const all = facts_.rows("/interface")) {
      for (const Row& row : *all) {
        if (row.text("name") == interface) return certain(row.flag("dynamic") == (list == "dynamic"));
      }
    }
    return Truth::maybe;
  }
  if (depth > kDeepest) return Truth::maybe;
  for (const PlannedMember& planned : planned_) {
    if (planned.list == list && planned.member == interface) return Truth::yes;
  }
  const std::vector<Row>* const members = facts_.rows("/interface/list/member");
  if (members == nullptr) return Truth::maybe;
  for (const Row& row : *members) {
    if (row.text("list") == list && row.text("interface") == interface && !ignored(row, ignore_comment_))
      return Truth::yes;
  }
  const std::vector<Row>* const lists = facts_.rows("/interface/list");
  if (lists == nullptr) return Truth::maybe;
  for (const Row& row : *lists) {
    if (row.text("name") != list) continue;
    Truth in = Truth::no;
    for (const std::string_view name : split_list(row.text("include")))
      in = either(in, has(name, interface, depth + 1));
    for (const std::string_view name : split_list(row.text("exclude")))
      in = both(in, opposite(has(name, interface, depth + 1)));
    return in;
  }
  return Truth::no;
}

std::vector<std::string> InterfaceLists::lists_of(std::string_view interface) const {
  std::vector<std::string> out;
  const std::vector<Row>* const lists = facts_.rows("/interface/list");
  if (lists == nullptr) return out;
  for (const Row& row : *lists) {
    const std::string_view name = row.text("name");
    if (!builtin_list(name) && has(name, interface) != Truth::no) out.emplace_back(name);
  }
  return out;
}

AddressLists::AddressLists(const Facts& facts, std::string_view menu, std::vector<PlannedMember> planned,
                           std::string ignore_comment)
    : rows_(facts.rows(menu)), planned_(std::move(planned)), ignore_comment_(std::move(ignore_comment)) {}

Truth AddressLists::has(std::string_view list, const std::optional<Ip>& address) const {
  if (list.starts_with('*')) return Truth::no;
  Truth in = Truth::no;
  const auto meet = [&in, &address](std::string_view entry, bool comes_and_goes) {
    const std::optional<IpRange> range = parse_ip_range(entry);
    if (!range) return;  // a DNS name: its addresses are entries of their own
    Truth covers = Truth::maybe;
    if (address) {
      covers = certain(range->contains(*address));
    } else if (range->everything()) {
      covers = Truth::yes;
    }
    if (comes_and_goes) covers = both(covers, Truth::maybe);
    in = either(in, covers);
  };
  for (const PlannedMember& planned : planned_) {
    if (planned.list == list) meet(planned.member, false);
  }
  if (rows_ == nullptr) return either(in, Truth::maybe);
  for (const Row& row : *rows_) {
    if (row.text("list") != list || ignored(row, ignore_comment_)) continue;
    meet(row.text("address"), row.flag("dynamic") || !row.text("timeout").empty());
  }
  return in;
}

}  // namespace mikroscope::routeros
