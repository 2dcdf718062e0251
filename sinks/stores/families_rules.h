// Names of metrics that do not follow from the measurement. Declarative: one line a family.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace mikroscope::sinks {

struct FamilyRule {
  enum class As : std::uint8_t { field, running, sum, rows, info };

  std::string_view measurement;
  // Comma list. `user` is the field and its label's value; `load1=1m` gives another value, `a=x/y` one for
  // each label; a list may hold `order_*` (the rest of the name is the value) and `*` (all numbers that no
  // rule takes).
  std::string_view fields;
  std::string_view prom;              // without mikroscope_ and _total; empty: as without a rule; "-": none
  std::string_view prom_labels = {};  // of what is folded; comma list
  std::string_view otlp = {};         // without "mikroscope."; empty, "-": as above
  std::string_view otlp_labels = {};
  std::string_view otlp_unit = {};  // empty: the field's
  As as = As::field;
  std::string_view keys = "*";  // keys that become labels; comma list, may be empty
  bool as_read = false;         // Prometheus too gets the value as it was read
};

std::span<const FamilyRule> family_rules();

}  // namespace mikroscope::sinks
