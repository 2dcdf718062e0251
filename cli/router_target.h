// The agent of an installation on a router: found by its manifest, reached straight or through the router.
#pragma once

#include <memory>
#include <string>

#include "base/host/result.h"
#include "cli/option_set.h"
#include "cli/router_options.h"
#include "cli/target.h"

namespace mikroscope::cli {

// How samples get here. direct: to the agent's own address; exposed: through the router's; relay: the router
// asks the agent (relay_link.h). auto tries them in this order.
struct RouterTargetOptions {
  std::string installation = "mikroscope";
  std::string transport = "auto";
  std::string token;  // empty: the one that is kept here, else the one on the router

  void declare(OptionSet& set);
  base::Result<void> check() const;
};

// One login; the session stays open for the relay and for what is read at the end. `router` must outlive the
// target. Exit::auth where the agent wants a token and none is known.
base::Result<Target> open_router_target(const RouterOptions& router, const RouterTargetOptions& options,
                                        int stop_fd);
// The same over a session that is open already.
base::Result<Target> open_router_target(const RouterOptions& router,
                                        std::unique_ptr<routeros::Session> session,
                                        const RouterTargetOptions& options, int stop_fd);

}  // namespace mikroscope::cli
