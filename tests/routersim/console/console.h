// The router's console: runs commands of a user and collects what they print.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "tests/routersim/console/ast.h"
#include "tests/routersim/console/grammar.h"
#include "tests/routersim/router.h"

namespace mikroscope::routersim::console {

struct Result {
  std::string output;   // lines end in CR LF
  bool failed = false;  // the last command ended in an error
  bool cut = false;     // a fault: the connection goes now, and nothing more is sent
};

class Console {
 public:
  Console(Router& router, User user);

  // Every line is a command of its own: variables and an error end with it. `cancelled` ends what runs.
  Result run(std::string_view text, const std::atomic<bool>* cancelled = nullptr);

 private:
  Router& router_;
  User user_;
  Grammar grammar_;
  std::map<std::string, Value> globals_;
};

}  // namespace mikroscope::routersim::console
