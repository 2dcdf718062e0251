// Help texts from the model.
#pragma once

#include <cstdio>
#include <string>

#include "cli/model.h"

namespace mikroscope::cli {

// Escape sequences, or empty strings where the stream is no terminal or NO_COLOR is set.
struct Style {
  const char* heading = "";
  const char* option = "";
  const char* error = "";
  const char* off = "";
  int width = 80;
};
Style style_of(std::FILE* stream);

std::string overview_help(const AppModel& app, const Style& style);
std::string verb_help(const AppModel& app, const VerbModel& verb, const Style& style);
void write_help(std::FILE* stream, const std::string& text);

// `text` in lines of at most `width` columns, each after `indent` blanks; line breaks of the text stay.
std::string wrap(const std::string& text, int indent, int width);

// "-q, --quiet" or "--for D".
std::string option_head(const OptionModel& option);
// Help, choices, default and environment variable in one sentence run.
std::string option_text(const OptionModel& option);

}  // namespace mikroscope::cli
