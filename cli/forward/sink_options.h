// Flags, environment variables and keys of all sinks, made from their own lists.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "base/host/result.h"
#include "cli/option_set.h"
#include "sinks/pipeline/sink_def.h"

namespace mikroscope::cli {

class SinkOptions {
 public:
  void declare(OptionSet& set);
  // Those that are turned on. Exit::usage: none; the error of a sink that cannot be made.
  base::Result<std::vector<std::unique_ptr<sinks::Sink>>> make();
  // What was given, secrets of files included, for who speaks to a store otherwise.
  base::Result<sinks::SinkValues> values();

 private:
  base::Result<void> read_secret_files();

  struct SecretFile {
    std::string option;  // whose value the file holds
    std::string path;
  };
  std::deque<std::string> texts_;  // names and helps that options refer to
  std::deque<SecretFile> secret_files_;
  sinks::SinkValues values_;
};

}  // namespace mikroscope::cli
