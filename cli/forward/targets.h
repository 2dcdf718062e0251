// The agents of one collector: --local, and --url, --router and [router.NAME] as often as there are routers.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/host/result.h"
#include "cli/config_file.h"
#include "cli/option_set.h"
#include "cli/settings.h"
#include "cli/target.h"

namespace mikroscope::cli {

// Options that each router has for itself: from the command line for all of them, from its profile for one.
class PerRouter {
 public:
  virtual ~PerRouter() = default;
  virtual void declare(OptionSet& set) = 0;
  virtual base::Result<void> check() const = 0;  // Exit::usage
};

struct ForwardTarget {
  std::string host;  // the tag of its events
  std::unique_ptr<TargetOptions> options;
  std::unique_ptr<PerRouter> own;
};

class ForwardTargets {
 public:
  using MakePerRouter = std::function<std::unique_ptr<PerRouter>()>;
  explicit ForwardTargets(MakePerRouter make_per_router);
  ~ForwardTargets();

  void declare(OptionSet& set);
  // After parsing. Exit::usage: none given, two of one name.
  base::Result<std::vector<ForwardTarget>> targets(const ConfigFile& config) const;

 private:
  struct Given {
    std::string text;
    Origin origin = Origin::none;
  };
  struct Option {  // as declared once, with what was given for it
    std::string name;
    std::vector<Given> given;
  };
  class Capture;
  base::Result<ForwardTarget> make(const std::string& host, const std::string& flag, const std::string& value,
                                   const ConfigEntries* profile) const;

  MakePerRouter make_per_router_;
  std::unique_ptr<TargetOptions> prototype_;
  std::unique_ptr<PerRouter> own_prototype_;
  std::deque<Option> options_;
  std::vector<Given> routers_;
  std::vector<Given> urls_;
  bool local_ = false;
  bool all_routers_ = false;
  std::string host_tag_;
};

}  // namespace mikroscope::cli
