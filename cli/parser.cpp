#include "cli/parser.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <deque>
#include <exception>
#include <map>

#include "base/host/suggest.h"
#include "cli/help.h"
#include "cli/model.h"
#include "cli/settings.h"
#include "cli/verb.h"

namespace mikroscope::cli {
namespace {

constexpr const char* kProgram = "mikroscope";
constexpr const char* kSummary = "see what a Linux kernel does between two readings of your dashboard";

// Declares a verb's options on its CLI11 subcommand and keeps what CLI11 has no place for.
class AppOptions final : public OptionSet {
 public:
  explicit AppOptions(CLI::App* app) : app_(app) {}

  void add(const OptionSpec& spec, Apply apply) override {
    const std::string names(spec.names);
    Setting setting{spec, names, "", std::move(apply), false};
    CLI::Option* option = nullptr;
    if (spec.sources == Sources::all) {
      setting.positional = names[0] != '-';
      option = add_flag(spec, names, setting.positional);
      if (!setting.positional) setting.name = option->get_lnames().at(0);
    }
    // Not CLI11's envname(): that forgets where a value came from.
    if (!setting.positional && spec.sources != Sources::profile_only) setting.env = env_name(setting.name);
    settings_.push_back(std::move(setting));
    flags_.push_back(option);
  }

  const std::vector<Setting>& settings() const { return settings_; }
  Resolved resolve(const ConfigFile& file) const {
    std::vector<std::vector<std::string>> given(settings_.size());
    for (std::size_t i = 0; i < given.size(); ++i) {
      if (flags_[i] != nullptr && flags_[i]->count() > 0) given[i] = flags_[i]->results();
    }
    return cli::resolve(settings_, given, file);
  }
  const Setting* find(const CLI::Option* option) const {
    for (std::size_t i = 0; i < flags_.size(); ++i) {
      if (flags_[i] == option) return &settings_[i];
    }
    return nullptr;
  }

 private:
  CLI::Option* add_flag(const OptionSpec& spec, const std::string& names, bool positional) {
    const std::string help(spec.help);
    const bool is_switch = spec.value.empty() && !positional;
    const auto accept = [](const CLI::results_t&) { return true; };
    CLI::Option* const option = is_switch ? app_->add_flag_function(
                                                names, [](std::int64_t) {}, help)
                                          : app_->add_option(names, accept, help);
    if (!is_switch) option->type_name(std::string(spec.value))->type_size(1);
    if (spec.many) {
      option->expected(positional ? 0 : 1, CLI::detail::expected_max_vector_size)->take_all();
      option->allow_extra_args(positional);  // a repeated flag takes one value each time
    } else {
      option->take_last();
      if (!is_switch) option->expected(1);
    }
    option->group(std::string(spec.group));
    return option;
  }

  CLI::App* app_;
  std::vector<Setting> settings_;
  std::vector<CLI::Option*> flags_;  // null: an option without a flag
};

// What every verb has.
struct CommonOptions {
  std::string config;
  bool explain = false;

  void declare(OptionSet& set) {
    set.text({.names = "--config",
              .group = "Other",
              .value = "FILE",
              .help = "configuration file with [defaults] and [router.NAME] profiles",
              .default_text = "~/.config/mikroscope/config.toml"},
             config);
    set.flag({.names = "--explain-config",
              .group = "Other",
              .help = "print each setting and where it comes from; nothing else happens"},
             explain);
  }
};

struct App {
  CLI::App root{kSummary, kProgram};
  struct Entry {
    const Verb* verb = nullptr;
    CLI::App* app = nullptr;
    std::unique_ptr<VerbRun> run;
    std::unique_ptr<AppOptions> options;
    std::unique_ptr<CommonOptions> common;
  };
  std::deque<Entry> verbs;

  App() {
    root.require_subcommand(1, 1);
    root.set_help_flag("-h,--help", "show this help");
    for (const Verb* verb : all_verbs()) {
      CLI::App* const sub = root.add_subcommand(std::string(verb->name), std::string(verb->summary));
      sub->set_help_flag("-h,--help", "show this help");
      Entry& entry = verbs.emplace_back();
      entry.verb = verb;
      entry.app = sub;
      entry.run = verb->make();
      entry.options = std::make_unique<AppOptions>(sub);
      entry.common = std::make_unique<CommonOptions>();
      entry.run->options(*entry.options);
      entry.common->declare(*entry.options);
    }
  }

  Entry* find(std::string_view name) {
    for (Entry& e : verbs) {
      if (e.verb->name == name) return &e;
    }
    return nullptr;
  }
};

OptionModel describe(const Setting& setting) {
  OptionModel out;
  const OptionSpec& spec = setting.spec;
  for (std::string_view rest = spec.names; !rest.empty();) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    out.names.emplace_back(rest.substr(0, comma));
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  out.positional = setting.positional;
  out.no_flag = spec.sources != Sources::all;
  if (out.no_flag && !setting.env.empty()) out.names = {setting.env};
  out.group = std::string(spec.group);
  out.help = std::string(spec.help);
  out.value = std::string(spec.value);
  out.default_text = std::string(spec.default_text);
  if (!out.no_flag) out.env = setting.env;
  out.choices = split_choices(spec.choices);
  out.many = spec.many;
  out.brief = spec.brief;
  return out;
}

OptionModel help_flag() {
  OptionModel out;
  out.names = {"-h", "--help"};
  out.group = "Other";
  out.help = "show this help";
  return out;
}

AppModel describe(App& app) {
  AppModel out{kProgram, kSummary, {}};
  for (CLI::App* sub : app.root.get_subcommands({})) {
    const App::Entry& entry = *app.find(sub->get_name());
    VerbModel verb{sub->get_name(),
                   sub->get_description(),
                   std::string(entry.verb->description),
                   entry.verb->examples,
                   {}};
    for (const Setting& setting : entry.options->settings()) {
      // A key of profiles only is explained with the profiles, not with every verb.
      if (setting.spec.sources != Sources::profile_only) verb.options.push_back(describe(setting));
    }
    verb.options.push_back(help_flag());
    out.verbs.push_back(std::move(verb));
  }
  return out;
}

std::string see_help(const std::string& verb) {
  return verb.empty() ? fmt::format("{} help", kProgram) : fmt::format("{} help {}", kProgram, verb);
}

base::Error unknown_verb(App& app, const std::string& word) {
  std::vector<std::string> names{"help"};
  for (const App::Entry& e : app.verbs) names.emplace_back(e.verb->name);
  const std::string near = base::closest(word, names);
  return {fmt::format("there is no verb \"{}\"", word),
          near.empty() ? see_help("") : fmt::format("did you mean {} {}?", kProgram, near),
          base::Exit::usage};
}

base::Error unknown_words(const App::Entry& entry, const std::vector<std::string>& words) {
  const std::string name(entry.verb->name);
  const std::string word = words.front().substr(0, words.front().find('='));
  if (word.empty() || word[0] != '-') {
    return {fmt::format("nothing is expected at \"{}\"", word), see_help(name), base::Exit::usage};
  }
  std::vector<std::string> names;
  for (CLI::Option* option : entry.app->get_options()) {
    for (const std::string& n : option->get_lnames()) names.push_back("--" + n);
  }
  std::string wanted = word;
  if (wanted.size() > 2 && wanted[1] != '-') wanted.insert(0, "-");  // -for
  const std::string near = base::closest(wanted, names);
  return {fmt::format("there is no flag {}", word),
          near.empty() ? see_help(name) : fmt::format("did you mean {}? ({})", near, see_help(name)),
          base::Exit::usage};
}

base::Error missing_value(const App::Entry& entry, const std::string& last) {
  const std::string see = see_help(std::string(entry.verb->name));
  for (CLI::Option* option : entry.app->get_options()) {
    const Setting* const d = entry.options->find(option);
    if (d != nullptr && option->check_name(last) && !d->spec.value.empty()) {
      return {fmt::format("{} needs a value: {} {}", last, last, d->spec.value), see, base::Exit::usage};
    }
  }
  return {"a flag lacks its value, or has one too many", see, base::Exit::usage};
}

// Keys of the configuration file: the options of all verbs.
std::vector<ConfigKey> config_keys(const App& app) {
  std::map<std::string, ConfigKey> keys;
  for (const App::Entry& entry : app.verbs) {
    for (const Setting& s : entry.options->settings()) {
      if (s.positional || s.name == "config" || s.name == "explain-config") continue;
      ConfigKey& key = keys[s.name];
      key.name = s.name;
      key.secret = key.secret || s.spec.secret;
      key.in_profile = s.spec.role == ProfileRole::none;
      key.in_defaults = s.spec.sources != Sources::profile_only;
    }
  }
  std::vector<ConfigKey> out;
  for (auto& [name, key] : keys) out.push_back(std::move(key));
  return out;
}

// Reads the configuration file that counts for this command line.
base::Result<ConfigFile> load_config(const App& app, const App::Entry& entry) {
  const Resolved plain = entry.options->resolve(ConfigFile());
  for (const SettingValue& value : plain.values) {
    if (value.setting->name == "config" && !value.texts.empty())
      return ConfigFile::load(value.texts.back(), true, config_keys(app));
  }
  return ConfigFile::load(default_config_path(), false, config_keys(app));
}

bool wants_explanation(const Resolved& resolved) {
  for (const SettingValue& value : resolved.values) {
    if (value.setting->name == "explain-config") return !value.texts.empty();
  }
  return false;
}

// The verb may stand behind its flags: `mikroscope --json status`.
void verb_first(std::vector<std::string>& args) {
  if (args.empty() || args[0].empty() || args[0][0] != '-') return;
  const auto verb =
      std::find_if(args.begin(), args.end(), [](const std::string& a) { return find_verb(a) != nullptr; });
  if (verb != args.end()) std::rotate(args.begin(), verb, verb + 1);
}

int fail(const std::string& verb, const base::Error& error) {
  print_error(verb, error);
  return static_cast<int>(error.exit);
}

int help_for(App& app, const std::string& word) {
  const AppModel model = describe(app);
  if (word.empty() || word == "help") {
    write_help(stdout, overview_help(model, style_of(stdout)));
    return 0;
  }
  const VerbModel* const verb = model.find(word);
  if (verb == nullptr) return fail("", unknown_verb(app, word));
  write_help(stdout, verb_help(model, *verb, style_of(stdout)));
  return 0;
}

int parse_and_run(const std::vector<std::string>& argv) {
  App app;
  std::vector<std::string> args(argv.begin() + (argv.empty() ? 0 : 1), argv.end());
  if (args.empty()) {
    write_help(stderr, overview_help(describe(app), style_of(stderr)));
    return static_cast<int>(base::Exit::usage);
  }
  if (args[0] == "--version" || args[0] == "-V" || args[0] == "-v") args[0] = "version";
  if (args[0] == "help") return help_for(app, args.size() > 1 ? args[1] : "");
  verb_first(args);
  if (args[0] == "-h" || args[0] == "--help") return help_for(app, "");
  App::Entry* const entry = app.find(args[0]);
  if (entry == nullptr) {
    return fail("", args[0][0] == '-' ? base::Error{fmt::format("a verb must come with {}", args[0]),
                                                    see_help(""), base::Exit::usage}
                                      : unknown_verb(app, args[0]));
  }
  const std::string verb(entry->verb->name);
  try {
    std::vector<std::string> reversed(args.rbegin(), args.rend());  // CLI11 takes words off the end
    app.root.parse(std::move(reversed));
  } catch (const CLI::CallForHelp&) {
    return help_for(app, verb);
  } catch (const CLI::ExtrasError&) {
    return fail(verb, unknown_words(*entry, app.root.remaining(true)));
  } catch (const CLI::ArgumentMismatch&) {
    return fail(verb, missing_value(*entry, args.back()));
  } catch (const CLI::ParseError& e) {
    return fail(verb, {e.what(), see_help(verb), base::Exit::usage});
  }
  const base::Result<ConfigFile> config = load_config(app, *entry);
  if (!config.ok()) return fail(verb, config.error());
  const Resolved resolved = entry->options->resolve(*config);
  if (wants_explanation(resolved)) {
    std::fputs(explain(resolved, *config).c_str(), stdout);
    return 0;
  }
  base::Result<void> applied = apply(resolved);
  if (!applied.ok()) {
    base::Error error = std::move(applied).error();
    if (error.fix.empty()) error.fix = see_help(verb);
    return fail(verb, error);
  }
  const base::Result<base::Exit> exit = entry->run->run({argv, &*config});
  if (!exit.ok()) return fail(verb, exit.error());
  return static_cast<int>(*exit);
}

}  // namespace

const VerbModel* AppModel::find(std::string_view name) const {
  for (const VerbModel& verb : verbs) {
    if (verb.name == name) return &verb;
  }
  return nullptr;
}

AppModel describe_app() {
  App app;
  return describe(app);
}

void print_error(const std::string& verb, const base::Error& error) {
  const Style style = style_of(stderr);
  std::string text = fmt::format("{}{}{}{}:{} {}\n", style.error, kProgram, verb.empty() ? "" : " ", verb,
                                 style.off, error.what);
  if (!error.fix.empty()) text += fmt::format("  try: {}\n", error.fix);
  std::fputs(text.c_str(), stderr);
}

int run_command_line(const std::vector<std::string>& argv) {
  try {
    const int code = parse_and_run(argv);
    if (std::fflush(stdout) != 0 && code == 0) {
      return fail("", {"standard output could not be written", "", base::Exit::failed});
    }
    return code;
  } catch (const std::exception& e) {
    return fail("", {fmt::format("internal error: {}", e.what()),
                     "please report this with the command that you ran", base::Exit::failed});
  }
}

}  // namespace mikroscope::cli
