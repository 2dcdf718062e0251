// Comma-separated values with RFC 4180 quoting.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mikroscope::plot {

struct CsvRow {
  std::vector<std::string> fields;
  std::size_t line = 0;   // of its first byte, from 1
  std::size_t begin = 0;  // bytes [begin, end) of the text, line break included
  std::size_t end = 0;
};

// All rows of `text`; empty lines are no rows. A quote that never closes ends at the end of its first line,
// so that one damaged row does not swallow the rest of the file.
std::vector<CsvRow> parse_csv(std::string_view text);

// Appends one field, quoted where it has to be.
void append_csv_field(std::string& out, std::string_view field);

}  // namespace mikroscope::plot
