// From the command line and what the router is to a plan that may be carried out.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/host/result.h"
#include "cli/deploy_options.h"
#include "cli/deploy_run.h"
#include "cli/router_options.h"
#include "routeros/deploy/decide.h"
#include "routeros/deploy/facts.h"
#include "routeros/deploy/plan.h"
#include "routeros/deploy/shape.h"

namespace mikroscope::cli {

// What can be said before anything is asked: options that contradict each other. Exit::usage.
base::Result<void> check_deploy(const DeployOptions& deploy, const RouterOptions& router);

struct OnRouter {
  std::unique_ptr<routeros::Session> session;
  routeros::Facts facts;
  routeros::Shape shape;
  routeros::Options options;  // merged with what is installed, and settled
};
// Logs in and reads; writes nothing.
base::Result<OnRouter> read_router(const DeployOptions& deploy, const RouterOptions& router,
                                   const StopSignals& signals);

struct TokenChoice {
  std::string file;  // --token-file
  bool make_new = false;
};
// Sets options.token: from the file, the known one, or a new one. Nothing with --no-token.
base::Result<void> choose_token(const TokenChoice& choice, const RouterOptions& router, OnRouter& on);

// Runs the checks of `mikroscope doctor` and prints those that are not ok. Error: prerequisites are missing.
base::Result<void> run_doctor(const routeros::Facts& facts, const routeros::Options& options, bool quiet);

}  // namespace mikroscope::cli
