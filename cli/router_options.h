// How a verb reaches a router: --router, --via and what belongs to them, from the command line, the
// environment or a profile of the configuration file.
#pragma once

#include <memory>
#include <string>

#include "cli/option_set.h"
#include "routeros/session/session.h"
#include "routeros/session/text.h"

namespace mikroscope::cli {

struct RouterLogin;

// How the help of the verb shows these options: all of them in a group of their own, or --router among the
// targets and the rest named only, because they are no more than one of three ways to an agent.
enum class RouterHelp : std::uint8_t { full, brief };

class RouterOptions {
 public:
  RouterOptions();
  ~RouterOptions();
  void declare(OptionSet& set, RouterHelp help = RouterHelp::full);
  // What can be said without touching anything. Exit::usage.
  base::Result<void> check() const;
  bool given() const;     // a router was named
  Origin origin() const;  // where its name came from
  // Logs in, once. May ask for a password on the terminal; it is asked once in the life of this object.
  // `stop_fd`: see Session::interrupt_on().
  base::Result<std::unique_ptr<routeros::Session>> connect(int stop_fd) const;
  // What connect() logs in with. `api_only`: over the API, whatever --via says.
  base::Result<RouterLogin> login(int stop_fd, bool api_only) const;
  std::string name() const;  // of the router, as it was given: a profile or user@host
  std::string host() const;  // its address or name; what TokenStore keeps tokens under
  routeros::CodePage code_page() const;

 private:
  struct Given;
  routeros::Via chosen_via() const;
  base::Result<std::string> password() const;

  std::unique_ptr<Given> given_;
};

}  // namespace mikroscope::cli
