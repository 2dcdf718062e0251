// Which agent a verb talks to: --local, --url or --router.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/agent_link.h"
#include "cli/local_agent.h"
#include "cli/option_set.h"

namespace mikroscope::cli {

struct Target {
  std::unique_ptr<LocalAgent> local;  // with --local; ends with this object
  std::unique_ptr<AgentLink> link;
  std::string kind;  // "local" or "url"
  std::string url;
};

class TargetOptions {
 public:
  void declare(OptionSet& set);
  // What can be said without touching anything: none given, two given, a bad URL. Exit::usage.
  base::Result<void> check() const;
  // Starts the agent of --local.
  base::Result<Target> open() const;

 private:
  base::Result<std::string> token() const;

  bool local_ = false;
  Origin local_origin_ = Origin::none;
  std::string url_;
  Origin url_origin_ = Origin::none;
  std::string router_;
  Origin router_origin_ = Origin::none;
  std::string token_file_;
  std::optional<std::int64_t> rate_;
  std::optional<std::int64_t> buffer_s_;
  std::vector<std::string> agent_env_;
};

}  // namespace mikroscope::cli
