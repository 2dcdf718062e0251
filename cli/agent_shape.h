// Where the agent of an installation is, as its manifest on the router says.
#pragma once

#include <string>

#include "base/host/result.h"
#include "routeros/deploy/options.h"
#include "routeros/deploy/step_names.h"
#include "routeros/session/session.h"

namespace mikroscope::cli {

struct AgentShape {
  routeros::Options options;                // without a token
  bool token = false;                       // the agent wants one
  std::string manifest;                     // path of the file on the router; empty: read from tagged objects
  routeros::Slot slot = routeros::Slot::a;  // an upgrade changes it, and the environment list with it

  std::string url() const;          // "http://172.30.10.2:9123": from the router, and from where it is routed
  std::string exposed_url() const;  // the router's own address; empty: not exposed
};

// Exit::no_data where there is no installation of that name.
base::Result<AgentShape> read_agent_shape(routeros::Session& session, const std::string& installation);

// The token in the installation's environment list on the router; empty: there is none, or the account may
// not see it.
base::Result<std::string> read_router_token(routeros::Session& session, const AgentShape& shape);

}  // namespace mikroscope::cli
