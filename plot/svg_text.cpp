#include "plot/svg_text.h"

#include <cstdint>

#include "base/text.h"

namespace mikroscope::plot {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
constexpr std::string_view kEllipsis = "\xE2\x80\xA6";

struct Char {
  std::uint32_t code = 0;
  std::string_view bytes;  // empty: not UTF-8, one octet was passed over
};

Char take(std::string_view& text) {
  const int length = base::utf8_length(text);
  if (length <= 0) {
    text.remove_prefix(1);
    return {};
  }
  const auto n = static_cast<std::size_t>(length);
  Char c{static_cast<unsigned char>(text[0]), text.substr(0, n)};
  if (n > 1) {
    c.code &= 0xFFu >> (n + 1);
    for (std::size_t i = 1; i < n; ++i) c.code = c.code << 6 | (static_cast<unsigned char>(text[i]) & 0x3Fu);
  }
  text.remove_prefix(n);
  return c;
}

bool is_legal(std::uint32_t c) {
  if (c < 0x20 || (c >= 0x7F && c <= 0x9F)) return false;
  if (c == 0x2028 || c == 0x2029 || (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069))
    return false;
  return (c & 0xFFFE) != 0xFFFE;
}

bool is_combining(std::uint32_t c) {
  return (c >= 0x0300 && c <= 0x036F) || (c >= 0x1AB0 && c <= 0x1AFF) || (c >= 0x20D0 && c <= 0x20FF) ||
         (c >= 0x200B && c <= 0x200F) || (c >= 0xFE00 && c <= 0xFE0F) || (c >= 0xFE20 && c <= 0xFE2F);
}

bool is_wide(std::uint32_t c) {
  return (c >= 0x1100 && c <= 0x115F) || (c >= 0x2E80 && c <= 0xA4CF) || (c >= 0xAC00 && c <= 0xD7A3) ||
         (c >= 0xF900 && c <= 0xFAFF) || (c >= 0xFE30 && c <= 0xFE6F) || (c >= 0xFF00 && c <= 0xFF60) ||
         (c >= 0xFFE0 && c <= 0xFFE6) || (c >= 0x1F000 && c <= 0x1FAFF) || (c >= 0x20000 && c <= 0x3FFFD);
}

std::size_t cells_of(std::uint32_t c) {
  return is_combining(c) ? 0 : is_wide(c) ? 2 : 1;
}

// Advance in thousandths of the font size, by the widest of the usual sans-serif fonts.
int advance_of(std::uint32_t c) {
  if (is_combining(c)) return 0;
  if (is_wide(c)) return 1050;
  if (c < 0x80) {
    constexpr std::string_view kNarrow = "ijlI|!.,:;'`";
    constexpr std::string_view kSlim = " ftr()[]{}/\\-\"";
    constexpr std::string_view kBroad = "mwMW%@";
    const char ch = static_cast<char>(c);
    if (kNarrow.find(ch) != std::string_view::npos) return 325;
    if (kSlim.find(ch) != std::string_view::npos) return 405;
    if (kBroad.find(ch) != std::string_view::npos) return 965;
    if (ch >= 'A' && ch <= 'Z') return 720;
    return 625;
  }
  if (c == 0x2026) return 1000;
  return 660;
}

}  // namespace

std::string clean_text(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Char c = take(text);
    if (c.code == '\n' || c.code == '\r' || c.code == '\t') {
      out += ' ';
    } else if (c.bytes.empty() || !is_legal(c.code)) {
      out += kReplacement;
    } else {
      out += c.bytes;
    }
  }
  return out;
}

std::string escape_xml(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::size_t text_cells(std::string_view clean) {
  std::size_t cells = 0;
  while (!clean.empty()) cells += cells_of(take(clean).code);
  return cells;
}

double text_width(std::string_view clean, double px) {
  int sum = 0;
  while (!clean.empty()) sum += advance_of(take(clean).code);
  return sum * px / 1000.0;
}

std::string cut_cells(std::string_view clean, std::size_t cells) {
  if (text_cells(clean) <= cells) return std::string(clean);
  if (cells == 0) return {};
  std::string out;
  std::size_t used = 1;  // the ellipsis
  while (!clean.empty()) {
    const Char c = take(clean);
    used += cells_of(c.code);
    if (used > cells) break;
    out += c.bytes;
  }
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out.append(kEllipsis);
}

std::string cut_width(std::string_view clean, double width, double px) {
  if (text_width(clean, px) <= width) return std::string(clean);
  for (std::size_t cells = text_cells(clean); cells >= 2; --cells) {
    std::string cut = cut_cells(clean, cells);
    if (text_width(cut, px) <= width) return cut;
  }
  return {};
}

}  // namespace mikroscope::plot
