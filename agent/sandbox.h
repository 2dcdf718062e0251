// Gives up what an agent that has opened its files no longer needs. Every step that a kernel or container
// refuses is reported and never fatal.
#pragma once

#include "base/format.h"

namespace mikroscope::agent {

struct SandboxResult {
  bool capabilities_dropped = false;
  bool no_new_privileges = false;
  bool seccomp = false;
};

// Empties all capability sets, forbids new privileges, and allows only the system calls of the running agent:
// others return EPERM, without a word in the kernel's log. Files can be opened for reading still, and
// hardware counters, for sources that appear later. `report` gets one line in words.
SandboxResult enter_sandbox(base::Writer& report);

}  // namespace mikroscope::agent
