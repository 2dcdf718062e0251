// API queries: a stack machine over the '?' words of a print.
#pragma once

#include <string>
#include <vector>

#include "tests/routersim/attributes.h"

namespace mikroscope::routersim {

// Whether the row passes. Words: ?name, ?-name, ?name=x, ?=name=x, ?<name=x, ?>name=x, ?#ops.
bool query_matches(const Row& row, const std::vector<std::string>& words);

}  // namespace mikroscope::routersim
