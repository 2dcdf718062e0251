// An ordered list of names and values: a row of a menu, or the arguments of a request. Values are raw octets.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mikroscope::routersim {

class Attributes {
 public:
  using Pair = std::pair<std::string, std::string>;

  Attributes() = default;
  Attributes(std::initializer_list<Pair> pairs) : pairs_(pairs) {}

  // Null when absent. The last of a name counts, as on the router.
  const std::string* find(std::string_view name) const {
    for (auto it = pairs_.rbegin(); it != pairs_.rend(); ++it) {
      if (it->first == name) return &it->second;
    }
    return nullptr;
  }
  bool has(std::string_view name) const { return find(name) != nullptr; }
  std::string text(std::string_view name) const {
    const std::string* value = find(name);
    return value == nullptr ? std::string() : *value;
  }
  bool flag(std::string_view name) const {
    const std::string value = text(name);
    return value == "true" || value == "yes";
  }
  // Replaces in place, or appends.
  void put(std::string_view name, std::string value) {
    for (Pair& pair : pairs_) {
      if (pair.first == name) {
        pair.second = std::move(value);
        return;
      }
    }
    pairs_.emplace_back(std::string(name), std::move(value));
  }
  void append(std::string name, std::string value) { pairs_.emplace_back(std::move(name), std::move(value)); }
  bool erase(std::string_view name) {
    const auto end =
        std::remove_if(pairs_.begin(), pairs_.end(), [&](const Pair& pair) { return pair.first == name; });
    const bool any = end != pairs_.end();
    pairs_.erase(end, pairs_.end());
    return any;
  }

  auto begin() const { return pairs_.begin(); }
  auto end() const { return pairs_.end(); }
  std::size_t size() const { return pairs_.size(); }
  bool empty() const { return pairs_.empty(); }
  bool operator==(const Attributes&) const = default;

 private:
  std::vector<Pair> pairs_;
};

using Row = Attributes;

}  // namespace mikroscope::routersim
