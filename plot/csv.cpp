#include "plot/csv.h"

#include <algorithm>

namespace mikroscope::plot {
namespace {

// One field from `at`; `at` ends on ',', on the line break, or at the end. False: a quote that never closes.
bool field(std::string_view text, std::size_t& at, std::string& out) {
  if (at < text.size() && text[at] == '"') {
    for (++at; at < text.size(); ++at) {
      if (text[at] != '"') {
        out += text[at];
      } else if (at + 1 < text.size() && text[at + 1] == '"') {
        out += '"';
        ++at;
      } else {
        ++at;
        // What follows a closing quote before the separator is kept: better odd than lost.
        while (at < text.size() && text[at] != ',' && text[at] != '\n') out += text[at++];
        while (!out.empty() && out.back() == '\r') out.pop_back();
        return true;
      }
    }
    return false;
  }
  const std::size_t stop = std::min(text.find_first_of(",\n", at), text.size());
  out = text.substr(at, stop - at);
  if (!out.empty() && out.back() == '\r' && (stop == text.size() || text[stop] == '\n')) out.pop_back();
  at = stop;
  return true;
}

}  // namespace

std::vector<CsvRow> parse_csv(std::string_view text) {
  std::vector<CsvRow> rows;
  std::size_t at = 0;
  std::size_t line = 1;
  while (at < text.size()) {
    CsvRow row;
    row.line = line;
    row.begin = at;
    for (;;) {
      std::string value;
      const std::size_t start = at;
      if (!field(text, at, value)) {
        at = std::min(text.find('\n', start), text.size());
        value = text.substr(start, at - start);
      }
      row.fields.push_back(std::move(value));
      if (at >= text.size() || text[at] == '\n') break;
      ++at;  // the comma
    }
    if (at < text.size()) ++at;
    row.end = at;
    line += static_cast<std::size_t>(std::count(text.begin() + static_cast<std::ptrdiff_t>(row.begin),
                                                text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
    if (row.fields.size() > 1 || !row.fields[0].empty()) rows.push_back(std::move(row));
  }
  return rows;
}

void append_csv_field(std::string& out, std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
    out += text;
    return;
  }
  out += '"';
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

}  // namespace mikroscope::plot
