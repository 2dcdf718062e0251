// Text of a router for people: decoding and escaping.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace mikroscope::routeros {

// WinBox wrote comments in the Windows code page of its PC, newer tools write UTF-8.
enum class CodePage : std::uint8_t { cp1250, cp1251, cp1252, latin1 };
std::optional<CodePage> parse_code_page(std::string_view name);  // "cp1251", any case; "latin1"

// Valid UTF-8 as it is, anything else through the code page; octets without a character there become U+FFFD.
std::string decode_text(std::string_view octets, CodePage fallback = CodePage::cp1252);
// For terminals and logs: decoded, and control characters (C0, DEL, C1) escaped as \n, \t, \x1b.
std::string printable(std::string_view octets, CodePage fallback = CodePage::cp1252);

}  // namespace mikroscope::routeros
