#include "routeros/tier/port_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace mikroscope::routeros {
namespace {

constexpr std::size_t kMaxPorts = 256;
constexpr std::size_t kMacSize = 17;

bool hex(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

bool is_mac(std::string_view text) {
  for (std::size_t i = 0; i < kMacSize; ++i) {
    if (i % 3 == 2 ? text[i] != ':' : !hex(text[i])) return false;
  }
  return true;
}

std::string upper(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
  return out;
}

// N of ethN.
int number_of(std::string_view kernel_port) {
  if (!kernel_port.starts_with("eth")) return -1;
  const char* const end = kernel_port.data() + kernel_port.size();
  int number = -1;
  const auto [stop, error] = std::from_chars(kernel_port.data() + 3, end, number);
  return error == std::errc() && stop == end && number >= 0 ? number : -1;
}

// "ether10" to ("ether", 10); names without a number come with 0.
std::pair<std::string_view, int> split_name(std::string_view name) {
  std::size_t digits = name.size();
  while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9') --digits;
  int number = 0;
  std::from_chars(name.data() + digits, name.data() + name.size(), number);
  return {name.substr(0, digits), number};
}

}  // namespace

std::string own_mac(std::string_view port, std::string_view message) {
  const std::string text = upper(message);
  // Addresses of packets, neighbours and bridges are others'.
  for (const std::string_view others : {"SOURCE", "PACKET", "NEIGHBO", "BRIDGE", "STATION", "PEER"}) {
    if (text.find(others) != std::string::npos) return "";
  }
  const std::string head = upper(port) + ":";
  const std::size_t at = text.find(head);
  if (at == std::string::npos || (at > 0 && text[at - 1] != ' ')) return "";
  std::string found;
  for (std::size_t i = at + head.size(); i + kMacSize <= text.size(); ++i) {
    const bool begins = !hex(text[i - 1]) && text[i - 1] != ':';
    const std::size_t end = i + kMacSize;
    const bool ends = end == text.size() || (!hex(text[end]) && text[end] != ':');
    if (!begins || !ends || !is_mac(std::string_view(text).substr(i))) continue;
    if (!found.empty()) return "";  // of two nobody knows which is the port's
    found = text.substr(i, kMacSize);
  }
  return found;
}

void PortMap::inventory(const Inventory& inventory) {
  inventory_ = inventory;
  order_.clear();
  for (std::size_t i = 0; i < inventory_.interfaces.size(); ++i) {
    const InterfaceInfo& info = inventory_.interfaces[i];
    if (info.type == "ether" && !info.default_name.empty()) order_.push_back(i);
  }
  std::stable_sort(order_.begin(), order_.end(), [this](std::size_t a, std::size_t b) {
    return inventory_.interfaces[a].orig_mac < inventory_.interfaces[b].orig_mac;
  });
  judge();
}

void PortMap::judge() {
  doubt_.clear();
  if (order_.empty()) {
    doubt_ = "the router names no ports";
    return;
  }
  std::map<std::string_view, int> last;  // of each kind of name
  std::string_view mac;
  for (const std::size_t index : order_) {
    const InterfaceInfo& info = inventory_.interfaces[index];
    if (info.orig_mac.size() != kMacSize || info.orig_mac == mac) {
      doubt_ = "a port's original MAC address is unknown or not its own";
      return;
    }
    mac = info.orig_mac;
    const auto [kind, number] = split_name(info.default_name);
    const auto [at, first] = last.try_emplace(kind, number);
    if (!first && number <= at->second) {
      doubt_ = "the ports' MAC addresses do not rise with their names";
      return;
    }
    at->second = number;
  }
  if (highest_ >= static_cast<int>(order_.size())) {
    doubt_ = fmt::format("the kernel log names eth{}, and there are {} ports", highest_, order_.size());
    return;
  }
  for (const auto& [kernel_port, address] : macs_) {
    const InterfaceInfo* const real = by_mac(kernel_port);
    const int number = number_of(kernel_port);
    if (real == nullptr || number < 0) continue;
    const InterfaceInfo& guess = inventory_.interfaces[order_[static_cast<std::size_t>(number)]];
    if (&guess != real) {
      doubt_ = fmt::format("by its MAC address {} is {} and not {}", kernel_port, real->default_name,
                           guess.default_name);
      return;
    }
  }
}

void PortMap::log_record(std::string_view kernel_port, std::string_view message) {
  const int number = number_of(kernel_port);
  bool news = false;
  if (number > highest_) {
    highest_ = number;
    news = true;
  }
  const std::string mac = own_mac(kernel_port, message);
  if (!mac.empty() && (macs_.size() < kMaxPorts || macs_.contains(kernel_port))) {
    std::string& known = macs_[std::string(kernel_port)];
    news = news || known != mac;
    known = mac;
  }
  if (news) judge();
}

const InterfaceInfo* PortMap::by_mac(std::string_view kernel_port) const {
  const auto at = macs_.find(kernel_port);
  if (at == macs_.end()) return nullptr;
  const InterfaceInfo* found = nullptr;
  for (const std::size_t index : order_) {
    const InterfaceInfo& info = inventory_.interfaces[index];
    if (info.orig_mac != at->second && info.mac != at->second) continue;
    if (found != nullptr) return nullptr;  // somebody gave one port the address of another
    found = &info;
  }
  return found;
}

int PortMap::place(std::string_view kernel_port) const {
  const int number = number_of(kernel_port);
  return doubt_.empty() && number < static_cast<int>(order_.size()) ? number : -1;
}

std::optional<PortLabel> PortMap::find(std::string_view kernel_port) const {
  const auto label = [](const InterfaceInfo& info, std::string from) {
    return PortLabel{info.name, info.default_name, info.label, info.role, std::move(from)};
  };
  if (const InterfaceInfo* const info = by_mac(kernel_port)) return label(*info, "mac");
  // Names of the kernel's own pattern are the kernel's, even if somebody called a port of the router so.
  if (number_of(kernel_port) < 0) {
    for (const InterfaceInfo& info : inventory_.interfaces) {
      if (info.default_name == kernel_port) return label(info, "name");
    }
    if (const InterfaceInfo* const info = inventory_.find(kernel_port)) return label(*info, "name");
  }
  if (const int at = place(kernel_port); at >= 0)
    return label(inventory_.interfaces[order_[static_cast<std::size_t>(at)]], "order");
  return std::nullopt;
}

std::string PortMap::ports_from() const {
  std::size_t proven = 0;
  for (const auto& [kernel_port, address] : macs_) proven += by_mac(kernel_port) != nullptr ? 1U : 0U;
  const std::string macs = proven > 0 ? fmt::format("{} by mac", proven) : "";
  if (!doubt_.empty())
    return macs.empty() ? "none: " + doubt_ : fmt::format("{}, no others: {}", macs, doubt_);
  const std::size_t others = order_.size() - std::min(proven, order_.size());
  if (macs.empty()) return fmt::format("{} by order", others);
  return fmt::format("{}, {} by order, which addresses confirm", macs, others);
}

}  // namespace mikroscope::routeros
