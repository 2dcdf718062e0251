// How a verb declares its options without knowing the parser (CLI11 is compiled once, in parser.cpp).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/host/result.h"

namespace mikroscope::cli {

// Where a value came from; a later one of these beats an earlier one. `defaults` is [defaults] of the
// configuration file, `profile` its [router.NAME].
enum class Origin : std::uint8_t { none, defaults, profile, environment, command_line };

// Where a value may come from. Secrets are never flags: a command line is seen by every process.
enum class Sources : std::uint8_t { all, no_flag, profile_only };

// What an option has to do with profiles: --router names one, --local and --url are the other targets.
enum class ProfileRole : std::uint8_t { none, names, replaces };

struct OptionSpec {
  std::string_view names = {};  // "-q,--quiet"; positionals have a name without dashes
  std::string_view group = {};  // heading in the help: Target, Output, Time, …
  std::string_view value = {};  // placeholder such as "D"; empty for a switch
  std::string_view help = {};
  std::string_view choices = {};       // comma list for completion and the error text; empty: anything
  std::string_view default_text = {};  // shown in the help; empty: none
  bool many = false;                   // may be given several times
  // With another value than `all` the name has no dashes: "password" is MIKROSCOPE_PASSWORD and a key of a
  // profile.
  Sources sources = Sources::all;
  bool secret = false;  // listings say "set"; a file that holds it must be its owner's alone
  bool brief = false;   // the help of this verb only names it; a verb that has it in full explains it
  ProfileRole role = ProfileRole::none;
};

// Applies one given value; an error names no option, the parser adds it.
using Apply = std::function<base::Result<void>(const std::string& text, Origin origin)>;

class OptionSet {
 public:
  virtual ~OptionSet() = default;
  virtual void add(const OptionSpec& spec, Apply apply) = 0;

  // `from`, where it is given, says where the value came from.
  void flag(const OptionSpec& spec, bool& out);
  void text(const OptionSpec& spec, std::string& out, Origin* from = nullptr);
  void texts(OptionSpec spec, std::vector<std::string>& out, Origin* from = nullptr);
  void integer(const OptionSpec& spec, std::optional<std::int64_t>& out, std::int64_t low, std::int64_t high,
               Origin* from = nullptr);
  void duration(const OptionSpec& spec, std::optional<std::int64_t>& out_ns);
};

}  // namespace mikroscope::cli
