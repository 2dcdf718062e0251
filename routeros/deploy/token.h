// The secret that an installed agent asks its readers for.
#pragma once

#include <string>
#include <string_view>

#include "base/host/result.h"

namespace mikroscope::routeros {

// 32 random octets as 64 hexadecimal digits: no character of it means anything to a console, a header or a
// URL.
base::Result<std::string> make_token();
// 16 to 128 of the characters A-Z a-z 0-9 . _ -
bool good_token(std::string_view token);

}  // namespace mikroscope::routeros
