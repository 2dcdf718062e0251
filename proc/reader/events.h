// Line kinds other than samples, from their JSON text.
#pragma once

#include <string_view>

#include "proc/reader/item.h"

namespace mikroscope::proc {

// One complete JSON object such as {"gap":{"from":101,"to":102}}. Malformed where it is no JSON object or
// lacks what its kind must have; OtherLine where the kind is unknown.
Item parse_event(std::string_view json, std::uint64_t line);

}  // namespace mikroscope::proc
