// What the exit codes mean: the table of docs/exit-codes.md and of the man page.
#pragma once

#include <string_view>

#include "base/host/result.h"

namespace mikroscope::cli {

struct ExitCode {
  base::Exit exit;
  std::string_view name;
  std::string_view meaning;
};

inline constexpr ExitCode kExitCodes[] = {
    {base::Exit::ok, "ok",
     "done; for record also after Ctrl-C, when the recording is complete and holds samples"},
    {base::Exit::failed, "failed",
     "tried and did not succeed: no connection, a full disk, an unreadable file; detect --fail: a rule "
     "fired"},
    {base::Exit::usage, "usage", "the command line or an environment variable is wrong; nothing was tried"},
    {base::Exit::auth, "auth",
     "the agent refused the token or wants one, or the router refused the login or a policy is missing"},
    {base::Exit::no_data, "no data", "there was nothing to record, to draw or to show"},
    {base::Exit::refused, "refused",
     "refused to protect something: a recording exists, a marker lies outside, a router's key has changed, a "
     "secret is open to others"},
    {base::Exit::interrupted, "interrupted",
     "a second Ctrl-C ended it before it was done; files are whole up to there"},
};

}  // namespace mikroscope::cli
