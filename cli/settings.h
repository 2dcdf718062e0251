// Which value of an option counts, and where it came from: command line, environment, profile, [defaults].
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/host/result.h"
#include "cli/config_file.h"
#include "cli/option_set.h"

namespace mikroscope::cli {

// One option of a verb as it was declared.
struct Setting {
  OptionSpec spec;
  std::string name;  // long name without dashes; of a positional its bare name
  std::string env;   // empty: none
  Apply apply;
  bool positional = false;

  std::string title() const;  // "--rate", "password": for messages and listings
};

struct SettingValue {
  const Setting* setting = nullptr;
  Origin origin = Origin::none;
  std::vector<std::string> texts;
  std::string where;  // "--rate", "MIKROSCOPE_RATE", "/home/me/.config/mikroscope/config.toml:12"
};

struct Resolved {
  std::vector<SettingValue> values;  // one for each setting, in its order
  std::string profile;               // the profile in use; empty: none
};

// `given` holds what the command line gave to each setting; empty where it gave nothing.
Resolved resolve(std::span<const Setting> settings, std::span<const std::vector<std::string>> given,
                 const ConfigFile& file);

// Hands every value to its option; the error names where it came from.
base::Result<void> apply(const Resolved& resolved);

// One line for each setting: name, value, origin. Secrets are set or not set.
std::string explain(const Resolved& resolved, const ConfigFile& file);

// --token-file is MIKROSCOPE_TOKEN_FILE.
std::string env_name(std::string_view long_name);
std::vector<std::string> split_choices(std::string_view list);

}  // namespace mikroscope::cli
