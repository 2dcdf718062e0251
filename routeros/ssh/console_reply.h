// What the router's console printed for one of our lines (console_request.h).
//
// The exit status of a command says nothing about it on RouterOS, and errors are plain text among the
// output. So every line prints markers that hold a number used once, and only what carries them counts:
//
//   R<nonce> <id or -> <JSON>     a row
//   G<nonce> <id>                 a row that could not be read; it may be gone
//   OK:<nonce>[ <value>]          the line ran to its end
//
// Anything else is the router's complaint.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "routeros/session/row.h"

namespace mikroscope::routeros {

struct ConsoleReply {
  bool ended = false;             // OK was printed
  std::string value;              // what followed it
  std::vector<Row> rows;          // with .id where the line gave one
  std::vector<std::string> gone;  // ids of rows that could not be read
  std::string complaint;          // everything else, lines joined by a blank; empty when there is nothing
};

ConsoleReply parse_console_reply(std::string_view output, std::string_view nonce);

// The text is of a line that the console could not parse, so that nothing of it was run.
bool is_parse_error(std::string_view complaint);

}  // namespace mikroscope::routeros
