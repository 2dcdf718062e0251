// What was asked of the router, one entry for each login and command, secrets masked.
#pragma once

#include <cstdint>
#include <cstdio>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "tests/routersim/request.h"

namespace mikroscope::routersim {

struct Logged {
  enum class Kind : std::uint8_t { login, refused_login, logout, command };

  Kind kind = Kind::command;
  std::int64_t at_ms = 0;  // of the double's clock
  std::string user;
  Via via = Via::local;
  std::string menu;
  std::string verb;
  Attributes attributes;  // secret values are "***"
  std::vector<std::string> query;
  bool writes = false;  // changes the router
  bool where = false;   // the console gave conditions
  std::string trap;     // the first trap's text; "" when it went well

  std::string command() const { return menu == "/" ? menu + verb : menu + "/" + verb; }
};

// Its own lock: safe from any thread.
class RequestLog {
 public:
  RequestLog() = default;
  ~RequestLog();
  RequestLog(const RequestLog&) = delete;
  RequestLog& operator=(const RequestLog&) = delete;

  // Also writes JSON lines there. False: it cannot be opened.
  bool to_file(const std::string& path);
  void add(Logged entry);
  void clear();

  std::vector<Logged> all() const;
  std::size_t count(const std::function<bool(const Logged&)>& wanted) const;
  std::size_t logins() const;
  std::size_t writes() const;
  // Prints over the API without .proplist.
  std::size_t prints_without_proplist() const;
  // The commands in order, "/ip/address/add", …
  std::vector<std::string> commands() const;

 private:
  mutable std::mutex lock_;
  std::vector<Logged> entries_;
  std::FILE* file_ = nullptr;
};

// One JSON object, without newline.
std::string to_json(const Logged& entry);
// Names whose values are never logged: password, response, contents of a token, …
bool is_secret(std::string_view menu, std::string_view name);

}  // namespace mikroscope::routersim
