// The options of an installation (routeros/deploy/options.h) on a verb's command line.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "cli/option_set.h"
#include "routeros/deploy/options.h"

namespace mikroscope::cli {

class DeployOptions {
 public:
  // All of them, or those that `wanted` takes.
  void declare(OptionSet& set, bool (*wanted)(const routeros::OptionDef&) = nullptr);
  // As they were given, over the defaults; routeros::settle() checks them together.
  const routeros::Options& options() const { return options_; }
  // Names of those that were given, wherever: command line, environment or profile.
  const std::set<std::string, std::less<>>& given() const { return given_; }

 private:
  routeros::Options options_ = routeros::default_options();
  std::set<std::string, std::less<>> given_;
};

}  // namespace mikroscope::cli
