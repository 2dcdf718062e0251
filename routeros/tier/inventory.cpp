#include "routeros/tier/inventory.h"

#include <algorithm>
#include <set>

#include "routeros/session/text.h"
#include "routeros/session/value.h"

namespace mikroscope::routeros {
namespace {

using Lists = std::map<std::string, std::set<std::string>, std::less<>>;

std::string joined(const std::set<std::string>& items) {
  std::string out;
  for (const std::string& item : items) out += (out.empty() ? "" : ",") + item;
  return label_text(out);
}

std::string upper(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
  return out;
}

std::optional<bool> flag(const Row& row, std::string_view name) {
  const auto text = row.find(name);
  return text ? parse_bool(*text) : std::nullopt;
}

std::optional<std::int64_t> count(const Row& row, std::string_view name) {
  const std::optional<std::uint64_t> value = parse_count(row.text(name));
  if (!value || *value > static_cast<std::uint64_t>(INT64_MAX)) return std::nullopt;
  return static_cast<std::int64_t>(*value);
}

InterfaceInfo interface_of(const Row& row) {
  InterfaceInfo info;
  info.raw_name = row.text("name");
  info.name = label_text(info.raw_name);
  info.default_name = label_text(row.text("default-name"));
  info.type = label_text(row.text("type"));
  info.label = label_text(row.text("comment"));
  info.mtu = count(row, "actual-mtu");
  info.running = flag(row, "running");
  info.disabled = flag(row, "disabled");
  return info;
}

}  // namespace

std::string label_text(std::string_view octets) {
  std::string text = decode_text(octets);
  if (text.size() <= kMaxLabel) return text;
  std::size_t end = kMaxLabel;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  text.resize(end);
  return text;
}

const InterfaceInfo* Inventory::find(std::string_view raw_name) const {
  const auto at = std::find_if(interfaces.begin(), interfaces.end(),
                               [&](const InterfaceInfo& info) { return info.raw_name == raw_name; });
  return at == interfaces.end() ? nullptr : &*at;
}

std::vector<std::string> Inventory::keys(std::string_view raw_name) const {
  const InterfaceInfo* const info = find(raw_name);
  return info != nullptr ? info->keys() : std::vector<std::string>{label_text(raw_name), "", "", "", ""};
}

Inventory make_inventory(const std::vector<Row>& interfaces, const std::vector<Row>& members,
                         const std::vector<Row>& bridge_ports, const std::vector<Row>& ethernets) {
  Lists lists;
  for (const Row& row : members) {
    if (!row.flag("disabled"))
      lists[std::string(row.text("interface"))].insert(decode_text(row.text("list")));
  }
  std::map<std::string, std::string, std::less<>> bridges;
  for (const Row& row : bridge_ports) {
    if (!row.flag("disabled")) bridges[std::string(row.text("interface"))] = row.text("bridge");
  }
  Inventory inventory;
  for (const Row& row : interfaces) {
    if (row.text("name").empty()) continue;
    InterfaceInfo info = interface_of(row);
    const auto bridge = bridges.find(info.raw_name);
    if (bridge != bridges.end()) info.bridge = label_text(bridge->second);
    auto own = lists.find(info.raw_name);
    if (own == lists.end() && bridge != bridges.end()) own = lists.find(bridge->second);
    if (own != lists.end()) info.role = joined(own->second);
    const auto port = std::find_if(ethernets.begin(), ethernets.end(),
                                   [&](const Row& e) { return e.text("name") == info.raw_name; });
    if (port != ethernets.end()) {
      info.mac = upper(port->text("mac-address"));
      info.orig_mac = upper(port->text("orig-mac-address"));
      if (info.default_name.empty()) info.default_name = label_text(port->text("default-name"));
    }
    inventory.interfaces.push_back(std::move(info));
  }
  return inventory;
}

}  // namespace mikroscope::routeros
