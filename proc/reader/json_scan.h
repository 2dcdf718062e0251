// A forward scanner for the small JSON of sample lines. Not a general parser: events go through
// nlohmann_json.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "proc/reader/item.h"

namespace mikroscope::proc {

struct JsonValue {
  bool is_text = false;
  bool is_null = false;
  std::string text;         // unescaped, of a text
  std::int64_t number = 0;  // times 10^decimals
  int decimals = 0;         // digits after the point
  // The number with `wanted` digits after the point; further digits are cut.
  std::int64_t scaled(int wanted) const;
};

using JsonMembers = std::vector<std::pair<std::string, JsonValue>>;

class JsonScan {
 public:
  explicit JsonScan(std::string_view text) : p_(text.data()), end_(text.data() + text.size()) {}

  const char* position() const { return p_; }
  // Skips white space, then takes `c` if it stands there.
  bool consume(char c);
  bool string(std::string& out);
  // A text, number, null, true or false (1 or 0). Not an object or array, nor a number beyond 64 bits.
  bool scalar(JsonValue& out);
  // The text of the next value of any kind, which is passed over; empty when it is damaged or cut.
  std::string_view skip_value();

 private:
  const char* p_;
  const char* end_;
};

// {"<table>":ns,…}
void read_intervals(std::string_view object,
                    const std::function<void(std::string_view, std::int64_t)>& visit);
// [{"table":…,<keys>,"column":…,"kind":…},…]; what names no cell of `layout` is left out.
void read_odd(std::string_view array, const Layout& layout, std::vector<OddCell>& out);
// {"names":{"<table>":[{<keys>},…],…}}; called for each row with its table's name, the text of all its rows,
// its members.
void read_names(std::string_view line,
                const std::function<void(std::string_view, std::string_view, const JsonMembers&)>& visit);

}  // namespace mikroscope::proc
