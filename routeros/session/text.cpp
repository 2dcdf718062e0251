#include "routeros/session/text.h"

#include <fmt/format.h>

#include "base/text.h"
#include "routeros/session/code_pages.h"

namespace mikroscope::routeros {
namespace {

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const int length = base::utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(static_cast<std::size_t>(length));
  }
  return true;
}

// A code point below U+10000.
void append_utf8(std::string& out, char32_t c) {
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xC0 | c >> 6);
    out += static_cast<char>(0x80 | (c & 0x3F));
  } else {
    out += static_cast<char>(0xE0 | c >> 12);
    out += static_cast<char>(0x80 | (c >> 6 & 0x3F));
    out += static_cast<char>(0x80 | (c & 0x3F));
  }
}

}  // namespace

std::optional<CodePage> parse_code_page(std::string_view name) {
  std::string plain;  // CP1251, windows-1251 and 1251 are one
  for (const char c : name) {
    if (c >= 'A' && c <= 'Z') plain += static_cast<char>(c + 32);
    if ((c >= 'a' && c <= 'z') || base::is_digit(c)) plain += c;
  }
  for (const std::string_view prefix : {"cp", "windows"}) {
    if (plain.starts_with(prefix)) plain.erase(0, prefix.size());
  }
  if (plain == "1250") return CodePage::cp1250;
  if (plain == "1251") return CodePage::cp1251;
  if (plain == "1252") return CodePage::cp1252;
  if (plain == "latin1" || plain == "iso88591") return CodePage::latin1;
  return std::nullopt;
}

std::string decode_text(std::string_view octets, CodePage fallback) {
  if (is_utf8(octets)) return std::string(octets);
  std::string out;
  out.reserve(octets.size() * 2);
  while (!octets.empty()) {
    const auto octet = static_cast<unsigned char>(octets.front());
    // Two clients may have written one value. Three octets that happen to be UTF-8 are UTF-8; two are not
    // enough of a coincidence: in CP1251 a capital letter and a closing quotation mark are such a pair.
    const int length = base::utf8_length(octets);
    if (octet < 0x80 || length >= 3) {
      out += octets.substr(0, static_cast<std::size_t>(length));
      octets.remove_prefix(static_cast<std::size_t>(length));
    } else {
      append_utf8(out, character_of(fallback, octet));
      octets.remove_prefix(1);
    }
  }
  return out;
}

std::string printable(std::string_view octets, CodePage fallback) {
  const std::string text = decode_text(octets, fallback);
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto octet = static_cast<unsigned char>(text[i]);
    // C1 is C2 80 to C2 9F in UTF-8.
    const bool c1 = octet == 0xC2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xA0;
    if (octet == '\n') {
      out += "\\n";
    } else if (octet == '\t') {
      out += "\\t";
    } else if (octet == '\r') {
      out += "\\r";
    } else if (octet < 0x20 || octet == 0x7F) {
      out += fmt::format("\\x{:02x}", octet);
    } else if (c1) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[++i]));
    } else {
      out += text[i];
    }
  }
  return out;
}

}  // namespace mikroscope::routeros
