// One row of a RouterOS menu, as the router sent it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mikroscope::routeros {

// Values are raw octets: RouterOS stores what it was given and declares no encoding (session/text.h decodes
// for display).
struct Attribute {
  std::string name;     // without '=', e.g. "address", ".id"
  std::string value;    // may be empty, may hold any octet
  bool secret = false;  // of a request: masked in listings, logs and errors
};
using Attributes = std::vector<Attribute>;

class Row {
 public:
  Row() = default;
  explicit Row(Attributes attributes) : attributes_(std::move(attributes)) {}

  // Nothing when the router did not send it: RouterOS leaves out what is unset, and a false flag.
  std::optional<std::string_view> find(std::string_view name) const;
  // Its text, or "" when absent.
  std::string_view text(std::string_view name) const;
  // A flag: true for true/yes in any case; false when absent.
  bool flag(std::string_view name) const;
  std::string_view id() const { return text(".id"); }

  const Attributes& attributes() const { return attributes_; }
  // The last value of a name wins.
  void put(std::string name, std::string value);

 private:
  Attributes attributes_;
};

}  // namespace mikroscope::routeros
