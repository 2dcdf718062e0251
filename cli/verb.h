// A verb of the command line: one file each, one line each in verbs.cpp.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/host/result.h"
#include "cli/option_set.h"

namespace mikroscope::cli {

class ConfigFile;

struct Invocation {
  std::vector<std::string> argv;       // as given, for the record; secrets never travel in it
  const ConfigFile* config = nullptr;  // the file that counts for this command line; it may be empty
};

class VerbRun {
 public:
  virtual ~VerbRun() = default;
  virtual void options(OptionSet& set) = 0;
  // The exit code, or the error that main prints.
  virtual base::Result<base::Exit> run(const Invocation& invocation) = 0;
};

struct Example {
  std::string_view command;  // without the program's name
  std::string_view what;
};

struct Verb {
  std::string_view name;
  std::string_view summary;      // one line
  std::string_view description;  // paragraphs for help and man page, lines of free length
  std::span<const Example> examples;
  std::unique_ptr<VerbRun> (*make)();
};

std::span<const Verb* const> all_verbs();
const Verb* find_verb(std::string_view name);

extern const Verb kRecordVerb;
extern const Verb kMarkVerb;
extern const Verb kPlotVerb;
extern const Verb kForwardVerb;
extern const Verb kDetectVerb;
extern const Verb kStatusVerb;
extern const Verb kCapturesVerb;
extern const Verb kPlanVerb;
extern const Verb kInstallVerb;
extern const Verb kUpgradeVerb;
extern const Verb kUninstallVerb;
extern const Verb kDoctorVerb;
extern const Verb kImageVerb;
extern const Verb kVersionVerb;
extern const Verb kCompletionVerb;
extern const Verb kManVerb;

template <class T>
std::unique_ptr<VerbRun> make_verb() {
  return std::make_unique<T>();
}

}  // namespace mikroscope::cli
