// Pieces of Markdown tables.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

namespace mikroscope::docs {

// Text for a cell of a Markdown table: on one line, without the column mark.
inline std::string cell(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

inline std::string code(std::string_view text) {
  return text.empty() ? "" : fmt::format("`{}`", cell(text));
}

inline std::string row(const std::vector<std::string>& cells) {
  std::string out = "|";
  for (const std::string& c : cells) out += c.empty() ? " |" : fmt::format(" {} |", c);
  return out + "\n";
}

inline std::string head(const std::vector<std::string>& titles) {
  return row(titles) + row(std::vector<std::string>(titles.size(), "---"));
}

}  // namespace mikroscope::docs
