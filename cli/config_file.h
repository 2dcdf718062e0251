// The configuration file: [defaults] and named routers, in the part of TOML that settings need.
//
//   [defaults]            keys of every verb, under the names of the flags
//   [router.NAME]         the same for one router; `host` says where it is
//   key = "text" | 'text' | word | 12 | true | ["a", "b"]     # comment
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/host/result.h"

namespace mikroscope::cli {

struct ConfigEntry {
  std::string key;
  std::vector<std::string> values;  // one, or the elements of an array
  int line = 0;
};
using ConfigEntries = std::vector<ConfigEntry>;

// What a key may be.
struct ConfigKey {
  std::string name;
  bool secret = false;
  bool in_profile = true;  // false: in [defaults] only
  bool in_defaults = true;
};

class ConfigFile {
 public:
  // Exit::usage with the line where the text is not such a file. `path` is for messages.
  static base::Result<ConfigFile> parse(std::string_view text, std::string path);
  // Reads, parses and checks: every key is one of `keys`, and a file with a secret in it is readable by its
  // owner only (Exit::refused). A missing file is an error only where `must_exist`.
  static base::Result<ConfigFile> load(const std::string& path, bool must_exist,
                                       std::span<const ConfigKey> keys);

  base::Result<void> check(std::span<const ConfigKey> keys) const;
  bool holds_secret(std::span<const ConfigKey> keys) const;

  const ConfigEntries& defaults() const { return defaults_; }
  const ConfigEntries* router(std::string_view name) const;  // null: no such profile
  std::vector<std::string> router_names() const;
  const std::string& path() const { return path_; }  // empty: there is no file

 private:
  struct Profile {
    std::string name;
    ConfigEntries entries;
    int line = 0;
  };
  std::string path_;
  ConfigEntries defaults_;
  std::vector<Profile> routers_;
};

// MIKROSCOPE_CONFIG aside: XDG_CONFIG_HOME/mikroscope/config.toml, else ~/.config/…; empty where neither is
// known.
std::string default_config_path();
// XDG_STATE_HOME/mikroscope, else ~/.local/state/mikroscope; empty where neither is known.
std::string state_directory();
// The same, made (0700) where it is missing.
base::Result<std::string> make_state_directory();
// With its parents; 0700 for those that are new.
base::Result<void> make_private_directory(const std::string& path);

}  // namespace mikroscope::cli
