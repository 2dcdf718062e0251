#include "routeros/ssh/console_reply.h"

#include <algorithm>
#include <cctype>
#include <optional>

#include "routeros/ssh/json_rows.h"

namespace mikroscope::routeros {
namespace {

enum class Mark { row, gone, end, none };

struct Place {
  Mark mark = Mark::none;
  std::size_t begin = 0;  // of the marker
  std::size_t after = 0;  // its end
};

// The next marker at the beginning of a line.
Place next_mark(std::string_view text, std::string_view nonce, std::size_t from) {
  while (true) {
    const std::size_t found = text.find(nonce, from);
    if (found == std::string_view::npos) return {Mark::none, text.size(), text.size()};
    from = found + 1;
    const std::size_t start = text.rfind('\n', found) + 1;  // npos + 1 is 0
    const std::string_view before = text.substr(start, found - start);
    const Mark mark = before == "R"     ? Mark::row
                      : before == "G"   ? Mark::gone
                      : before == "OK:" ? Mark::end
                                        : Mark::none;
    if (mark != Mark::none) return {mark, start, found + nonce.size()};
  }
}

std::string_view first_word(std::string_view text) {
  return text.substr(0, text.find_first_of(" \r\n"));
}

std::string_view first_line(std::string_view text) {
  text = text.substr(0, text.find('\n'));
  while (text.ends_with('\r')) text.remove_suffix(1);
  return text;
}

void complain(ConsoleReply& reply, std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of("\r\n"), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    while (line.starts_with(' ') || line.starts_with('\t')) line.remove_prefix(1);
    while (line.ends_with(' ') || line.ends_with('\t')) line.remove_suffix(1);
    if (line.empty()) continue;
    if (!reply.complaint.empty()) reply.complaint += ' ';
    reply.complaint += line;
  }
}

// "<id> <JSON>"; what is left of it after the value is a complaint.
void add_row(ConsoleReply& reply, std::string_view text) {
  const std::string_view id = first_word(text);
  std::string_view rest = text.substr(id.size());
  std::optional<JsonRows> read = parse_json_rows(rest);
  if (!read) {
    complain(reply, "unreadable row:");
    complain(reply, first_line(text));
    return;
  }
  for (Row& row : read->rows) {
    if (id != "-") row.put(".id", std::string(id));
    reply.rows.push_back(std::move(row));
  }
  complain(reply, rest.substr(read->used));
}

}  // namespace

ConsoleReply parse_console_reply(std::string_view output, std::string_view nonce) {
  ConsoleReply reply;
  Place here = next_mark(output, nonce, 0);
  complain(reply, output.substr(0, here.begin));
  while (here.mark != Mark::none) {
    const Place next = next_mark(output, nonce, here.after);
    std::string_view part = output.substr(here.after, next.begin - here.after);
    if (part.starts_with(' ')) part.remove_prefix(1);
    if (here.mark == Mark::row) {
      add_row(reply, part);
    } else {
      const std::string_view line = first_line(part);
      if (here.mark == Mark::gone) {
        reply.gone.emplace_back(line);
      } else {
        reply.ended = true;
        reply.value = line;
      }
      complain(reply, part.substr(std::min(part.find('\n'), part.size())));
    }
    here = next;
  }
  return reply;
}

bool is_parse_error(std::string_view complaint) {
  std::string text(complaint);
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const auto has = [&text](std::string_view part) { return text.find(part) != std::string::npos; };
  return has("(line ") && (has("syntax error") || has("bad command name") || has("expected") ||
                           has("no such command") || has("bad parameter"));
}

}  // namespace mikroscope::routeros
