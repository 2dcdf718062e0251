// Which agent a verb talks to: --local, --url or --router.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/agent_link.h"
#include "cli/local_agent.h"
#include "cli/option_set.h"
#include "cli/router_connection.h"
#include "cli/router_facts.h"
#include "cli/router_options.h"
#include "routeros/session/text.h"

namespace mikroscope::cli {

struct Target {
  std::unique_ptr<LocalAgent> local;         // with --local; ends with this object
  std::unique_ptr<RouterConnection> router;  // with --router; the relay uses it while a request runs
  std::unique_ptr<AgentLink> link;
  std::string kind;  // "local", "url" or "router"
  std::string url;   // of the agent
  // With --router:
  std::string router_name;  // as it was given
  std::string transport;    // "direct", "exposed" or "relay"
  std::optional<RouterFacts> facts;
  routeros::CodePage code_page = routeros::CodePage::cp1252;

  // What names this target on a command line: "--local", "--router home".
  std::string flags() const;
};

struct RouterTargetOptions;

class TargetOptions {
 public:
  TargetOptions();
  ~TargetOptions();
  void declare(OptionSet& set);
  // What can be said without touching anything: none given, two given, a bad URL. Exit::usage.
  base::Result<void> check() const;
  // Starts the agent of --local, or logs in to the router; the target must not outlive this object. Ends
  // early when `stop_fd` becomes readable (Exit::interrupted).
  base::Result<Target> open(int stop_fd = -1) const;
  bool is_router() const;  // --router counts
  const RouterOptions& router() const { return router_; }
  const RouterTargetOptions& on_router() const { return *on_router_; }

 private:
  // The origin that decides between the three; none: no target is given.
  Origin deciding() const;
  base::Result<std::string> token() const;

  bool local_ = false;
  Origin local_origin_ = Origin::none;
  std::string url_;
  Origin url_origin_ = Origin::none;
  RouterOptions router_;
  std::unique_ptr<RouterTargetOptions> on_router_;
  std::string token_;
  Origin token_origin_ = Origin::none;
  std::string token_file_;
  Origin token_file_origin_ = Origin::none;
  std::optional<std::int64_t> rate_;
  Origin rate_origin_ = Origin::none;
  std::optional<std::int64_t> buffer_s_;
  Origin buffer_origin_ = Origin::none;
  std::vector<std::string> agent_env_;
  Origin agent_env_origin_ = Origin::none;
};

}  // namespace mikroscope::cli
