// Is the agent reachable: from this machine, and from the router itself. Asking both makes a fact of "it
// runs, but this machine cannot reach it".
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/host/result.h"
#include "routeros/deploy/apply_container.h"
#include "routeros/deploy/options.h"

namespace mikroscope::routeros {

enum class Reach : std::uint8_t {
  reachable,         // this machine reached it
  from_router_only,  // the router did, this machine did not
  silent,            // its container runs, but nobody reached it
  not_running,       // its container does not run
};

struct ProbeResult {
  Reach reach = Reach::silent;
  std::string text;  // one line: what was seen
  std::string fix;   // empty when reachable
};

// One try from this machine, a line about the agent or why it was not reached. It takes 2 s at most.
using AskFromHere = std::function<base::Result<std::string>()>;

struct ProbeLimits {
  std::int64_t together_ns = 30 * kSecondNs;  // until it is called silent
  std::int64_t alone_ns = kSecondNs;          // how long this machine tries on once the router has reached it
};

// "http://172.30.10.2:9123", or the exposed address.
std::string agent_url(const Options& options);

// What /healthz says to the router, asked with the token as a header. A device error says why not.
Answer<std::string> health_from_router(Session& session, const Options& options);

// Error: the session is lost or the user ended it.
base::Result<ProbeResult> probe(const Link& link, const Options& options, const AskFromHere& ask,
                                const ProbeLimits& limits = {});

}  // namespace mikroscope::routeros
