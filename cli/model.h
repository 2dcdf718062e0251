// The command line as data: what help, completions and the man page are made from. One walk over the parser's
// own tables fills it (parser.cpp), so none of the three can leave an option out.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/verb.h"

namespace mikroscope::cli {

struct OptionModel {
  std::vector<std::string> names;  // "-q", "--quiet"; of a positional: its bare name
  std::string value;               // placeholder; empty for a switch
  std::string group;
  std::string help;
  std::string env;
  std::string default_text;
  std::vector<std::string> choices;
  bool positional = false;
  bool many = false;
  bool no_flag = false;  // its only name is an environment variable
  bool brief = false;    // named in this verb's help, explained in another's

  const std::string& long_name() const { return names.back(); }
};

struct VerbModel {
  std::string name;
  std::string summary;
  std::string description;
  std::span<const Example> examples;
  std::vector<OptionModel> options;  // in the order of declaration
};

struct AppModel {
  std::string program;
  std::string summary;
  std::vector<VerbModel> verbs;

  const VerbModel* find(std::string_view verb) const;
};

AppModel describe_app();  // parser.cpp

}  // namespace mikroscope::cli
