// What a router's log says about a container that does not run, and what to do about it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "routeros/session/session.h"

namespace mikroscope::routeros {

struct Advice {
  std::string_view words;    // part of the log line, in lower case
  std::string_view meaning;  // one sentence
  std::string_view fix;
};
std::span<const Advice> all_advice();
// The first that fits the newest line that any fits; null when none does.
const Advice* find_advice(const std::vector<std::string>& log_lines);

// Where the log ends now, for container_log(); "" when it cannot be read.
std::string log_end(Session& session);
// The last lines of the log with the topic "container", oldest first, "12:00:01 message", printable; only
// those after `after` where that line is still in the log. Empty when the log cannot be read.
std::vector<std::string> container_log(Session& session, std::size_t most, const std::string& after = {});

}  // namespace mikroscope::routeros
