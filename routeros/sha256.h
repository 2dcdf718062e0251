#pragma once

#include <string>
#include <string_view>

namespace mikroscope::routeros {

// Sixty-four lower-case hexadecimal digits.
std::string sha256_hex(std::string_view bytes);

}  // namespace mikroscope::routeros
