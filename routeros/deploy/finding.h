// What a check says.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "routeros/deploy/facts.h"
#include "routeros/deploy/options.h"

namespace mikroscope::routeros {

enum class Level : std::uint8_t { ok, warn, missing, skip };

struct Finding {
  Level level = Level::ok;
  std::string evidence;  // what was read: "7.24.2 (stable)"
  std::string fix;       // with warn and missing: a command of the router, a flag of ours, or one sentence
  bool unknown = false;  // a menu that it needs could not be read
};

// A prerequisite or an advice: one file in routeros/checks, one line in all_checks().
struct Check {
  std::string_view name;   // "container-package": in JSON and docs
  std::string_view title;  // "container package installed and enabled"
  std::string_view reads;  // menus, for docs
  std::string_view help;   // why it matters, for docs
  Finding (*run)(const Facts& facts, const Options& options);
};
std::span<const Check* const> all_checks();

}  // namespace mikroscope::routeros
