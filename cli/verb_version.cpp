#include <fmt/format.h>

#include <cstdio>

#include "cli/verb.h"
#include "cli/version.h"

namespace mikroscope::cli {
namespace {

class Version final : public VerbRun {
 public:
  void options(OptionSet& set) override {
    set.flag({.names = "--json", .group = "Output", .help = "as a JSON object"}, json_);
  }
  base::Result<base::Exit> run(const Invocation&) override {
    if (json_) {
      fmt::print("{{\"version\":\"{}\",\"wire\":{}}}\n", kVersion, 1);
    } else {
      fmt::print("mikroscope {}\n", kVersion);
    }
    return base::Exit::ok;
  }

 private:
  bool json_ = false;
};

constexpr Example kExamples[] = {{"version", "print the version"}};

}  // namespace

const Verb kVersionVerb{"version", "print the version", "", kExamples, make_verb<Version>};

}  // namespace mikroscope::cli
