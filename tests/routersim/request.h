// What the API server and the console ask of the router, and what it answers.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tests/routersim/attributes.h"

namespace mikroscope::routersim {

enum class Via : std::uint8_t { api, api_ssl, ssh, local };
inline std::string_view via_name(Via via) {
  constexpr std::string_view kNames[] = {"api", "api-ssl", "ssh", "local"};
  return kNames[static_cast<std::size_t>(via)];
}

// Somebody who has logged in.
struct User {
  std::string name;
  std::set<std::string> policies;  // what the group grants: "read", "write", "api", …
  Via via = Via::local;
  std::string from;  // the peer's address

  bool may(std::string_view policy) const { return policies.contains(std::string(policy)); }
};

struct Request {
  std::string menu;       // "/ip/address"; "" for verbs of the root
  std::string verb;       // "print", "add", "set", "remove", "get", "find", "start", …
  Attributes attributes;  // in order, without the leading '='; ".id" or "numbers" names rows

  // API query words with their '?', in order.
  std::vector<std::string> query;
  // The console's `where`, already compiled. Both may select rows of print, get, find, remove, set, …
  std::function<bool(const Row&)> where;

  // A long command ends with "interrupted" when it becomes true. May be null.
  const std::atomic<bool>* cancelled = nullptr;
};

struct Trap {
  std::string message;
  int category = -1;  // 0 missing item or command, 1 argument value, 2 interrupted, …; -1: none is sent
};

struct Outcome {
  std::vector<Row> rows;
  std::optional<std::string> ret;  // the new id of add, the number of count-only, the value of get
  std::vector<Trap> traps;         // several: one for each id of a list
  std::string printed;             // what the console shows although the command was a silent one (a fault)
  bool cut = false;                // the server closes the connection now, without an answer
  bool quit = false;               // /quit: !fatal and close
  // Set by commands that take long (/tool/fetch): done outside the router's lock, and it is the real outcome.
  // Router::execute resolves it; nobody outside sees one.
  std::function<Outcome()> later;

  bool ok() const { return traps.empty(); }
  static Outcome trap(std::string message, int category = -1) {
    Outcome outcome;
    outcome.traps.push_back({std::move(message), category});
    return outcome;
  }
};

}  // namespace mikroscope::routersim
