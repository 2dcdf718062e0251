// The double's own commands, one on a line: faults, reboots and questions while it runs (--control).
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "tests/routersim/clock.h"
#include "tests/routersim/router.h"

namespace mikroscope::routersim {

struct ControlDef {
  std::string_view name;
  std::string_view arg;
  std::string_view help;
  // What is printed, lines each ended by a newline; an error begins with "error: ".
  std::string (*run)(Router& router, const std::string& arg);
};
std::span<const ControlDef> all_controls();

// The answer to a line, without the "." that ends it.
std::string control(Router& router, const std::string& line);

}  // namespace mikroscope::routersim
