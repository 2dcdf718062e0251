// What a sentence of the router means.
#pragma once

#include <cstdint>
#include <string>

#include "routeros/api/word.h"
#include "routeros/session/row.h"
#include "routeros/session/trouble.h"

namespace mikroscope::routeros {

enum class ReplyKind : std::uint8_t {
  row,      // !re
  done,     // !done: the end of a command, with a value at most
  trap,     // !trap: the command failed; !done still follows
  fatal,    // !fatal: the reason as a bare word, and the router closes
  empty,    // !empty: no rows; !done still follows (7.18 and later)
  unknown,  // of a later version: passed over
};

struct Reply {
  ReplyKind kind = ReplyKind::unknown;
  std::string word;       // "!re"
  std::string tag;        // "" without one
  Attributes attributes;  // "=name=value"; "=name" is an empty value
  std::string text;       // bare words, joined by blanks
};

// Words stand in any order after the first.
Reply parse_reply(Sentence sentence);
// Of a trap or a fatal. `doing` names the command.
DeviceError trap_error(const Reply& reply, std::string doing);

}  // namespace mikroscope::routeros
