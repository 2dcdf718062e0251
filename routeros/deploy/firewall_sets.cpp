#include "routeros/deploy/firewall_sets.h"

#include <algorithm>

#include "routeros/session/value.h"

namespace mikroscope::routeros {
namespace {

constexpr std::string_view kBuiltin[] = {"all", "none", "dynamic", "static"};
constexpr int kDeepest = 16;  // lists that include each other in a circle

bool ignored(const Row& row, std::string_view comment) {
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

AddressEntries address_entries(const Facts& facts, std::string_view menu, std::string_view ignore_comment) {
  AddressEntries out;
  const std::vector<Row>* const rows = facts.rows(menu);
  if (rows == nullptr) return out;
  out.known = true;
  for (const Row& row : *rows) {
    if (ignored(row, ignore_comment)) continue;
    // Not a DNS name: the addresses behind one are entries of their own.
    const std::optional<IpRange> range = parse_ip_range(row.text("address"));
    if (!range) continue;
    out.lists[std::string(row.text("list"))].push_back(
        {*range, row.flag("dynamic") || !row.text("timeout").empty()});
  }
  return out;
}

AddressLists::AddressLists(const AddressEntries& entries, std::vector<PlannedMember> planned)
    : entries_(entries), planned_(std::move(planned)) {}

Truth AddressLists::has(std::string_view list, const std::optional<Ip>& address) const {
  if (list.starts_with('*')) return Truth::no;
  Truth in = entries_.known ? Truth::no : Truth::maybe;
  const auto meet = [&in, &address](const IpRange& range, bool comes_and_goes) {
    Truth covers = Truth::maybe;
    if (address) {
      covers = certain(range.contains(*address));
    } else if (range.everything()) {
      covers = Truth::yes;
    }
    in = either(in, comes_and_goes ? both(covers, Truth::maybe) : covers);
  };
  for (const PlannedMember& planned : planned_) {
    const std::optional<IpRange> range = parse_ip_range(planned.member);
    if (planned.list == list && range) meet(*range, false);
  }
  if (const auto found = entries_.lists.find(list); found != entries_.lists.end()) {
    for (const AddressEntries::Entry& entry : found->second) meet(entry.range, entry.comes_and_goes);
  }
  return in;
}

}  // namespace mikroscope::routeros
