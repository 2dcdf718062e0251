// The options of an installation (routeros/deploy/options.h) on a verb's command line.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "base/host/result.h"
#include "cli/option_set.h"
#include "routeros/deploy/options.h"

namespace mikroscope::cli {

class DeployOptions {
 public:
  // All of them, or those that `wanted` takes.
  void declare(OptionSet& set, bool (*wanted)(const routeros::OptionDef&) = nullptr);
  // Filled in and checked together; before the verb runs nothing is connected. Exit::usage.
  base::Result<routeros::Options> settled() const;
  // As they were given, over the defaults.
  const routeros::Options& options() const { return options_; }
  // Names of those that were given, wherever: command line, environment or profile.
  const std::set<std::string, std::less<>>& given() const { return given_; }

 private:
  routeros::Options options_ = routeros::default_options();
  std::set<std::string, std::less<>> given_;
};

}  // namespace mikroscope::cli
