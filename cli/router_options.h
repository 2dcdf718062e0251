// How a verb reaches a router: --router, --via and what belongs to them, from the command line, the
// environment or a profile of the configuration file.
#pragma once

#include <memory>
#include <string>

#include "cli/option_set.h"
#include "routeros/session/session.h"
#include "routeros/session/text.h"

namespace mikroscope::cli {

class RouterOptions {
 public:
  RouterOptions();
  ~RouterOptions();
  void declare(OptionSet& set);
  // What can be said without touching anything. Exit::usage.
  base::Result<void> check() const;
  bool given() const;  // a router was named
  // Logs in, once. May ask for a password on the terminal. `stop_fd`: see Session::interrupt_on().
  base::Result<std::unique_ptr<routeros::Session>> connect(int stop_fd) const;
  std::string name() const;  // of the router, as it was given: a profile or user@host
  routeros::CodePage code_page() const;

 private:
  struct Given;
  std::unique_ptr<Given> given_;
};

}  // namespace mikroscope::cli
