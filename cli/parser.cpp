#include "cli/parser.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <exception>
#include <map>

#include "base/host/suggest.h"
#include "cli/help.h"
#include "cli/model.h"
#include "cli/verb.h"

namespace mikroscope::cli {
namespace {

constexpr const char* kProgram = "mikroscope";
constexpr const char* kSummary = "see what a Linux kernel does between two readings of your dashboard";

std::vector<std::string> split(std::string_view list) {
  std::vector<std::string> out;
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    if (comma != 0) out.emplace_back(list.substr(0, comma));
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return out;
}

// --token-file is MIKROSCOPE_TOKEN_FILE.
std::string env_name(std::string_view long_name) {
  std::string out = "MIKROSCOPE_";
  for (const char c : long_name)
    out += c == '-' ? '_' : static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  return out;
}

struct Declared {
  CLI::Option* option;
  OptionSpec spec;
  Apply apply;
  std::string env;  // not CLI11's envname(): that forgets where a value came from
};

// Declares a verb's options on its CLI11 subcommand and keeps what CLI11 has no place for.
class AppOptions final : public OptionSet {
 public:
  explicit AppOptions(CLI::App* app) : app_(app) {}

  void add(const OptionSpec& spec, Apply apply) override {
    const std::string names(spec.names);
    const std::string help(spec.help);
    const bool positional = names[0] != '-';
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
    declared_.push_back(
        {option, spec, std::move(apply), positional ? "" : env_name(option->get_lnames().at(0))});
  }

  // What was given, in order of declaration; the environment where the command line says nothing.
  base::Result<void> apply() const {
    for (const Declared& d : declared_) {
      if (d.option->count() > 0) {
        for (const std::string& text : d.option->results()) {
          base::Result<void> done = one(d, text, Origin::command_line);
          if (!done.ok()) return done;
        }
      } else if (!d.env.empty()) {
        const char* const value = std::getenv(d.env.c_str());
        if (value == nullptr || *value == '\0') continue;
        base::Result<void> done = one(d, value, Origin::environment);
        if (!done.ok()) return done;
      }
    }
    return {};
  }

  const Declared* find(const CLI::Option* option) const {
    for (const Declared& d : declared_) {
      if (d.option == option) return &d;
    }
    return nullptr;
  }

 private:
  static base::Result<void> one(const Declared& d, const std::string& text, Origin origin) {
    base::Result<void> done = check_choice(d.spec, text);
    if (done.ok()) done = d.apply(text, origin);
    if (done.ok()) return done;
    base::Error error = std::move(done).error();
    const std::string name = origin == Origin::environment ? d.env
                             : d.spec.names[0] == '-'      ? "--" + d.option->get_lnames().at(0)
                                                           : std::string(d.spec.value);
    error.what = fmt::format("{}: {}", name, error.what);
    return error;
  }

  static base::Result<void> check_choice(const OptionSpec& spec, const std::string& text) {
    if (spec.choices.empty()) return {};
    const std::vector<std::string> choices = split(spec.choices);
    if (std::find(choices.begin(), choices.end(), text) != choices.end()) return {};
    const std::string near = base::closest(text, choices);
    return base::Error{fmt::format("\"{}\" is none of {}", text, fmt::join(choices, ", ")),
                       near.empty() ? "" : fmt::format("did you mean {}?", near), base::Exit::usage};
  }

  CLI::App* app_;
  std::deque<Declared> declared_;
};

struct App {
  CLI::App root{kSummary, kProgram};
  struct Entry {
    const Verb* verb;
    CLI::App* app;
    std::unique_ptr<VerbRun> run;
    std::unique_ptr<AppOptions> options;
  };
  std::deque<Entry> verbs;

  App() {
    root.require_subcommand(1, 1);
    root.set_help_flag("-h,--help", "show this help");
    for (const Verb* verb : all_verbs()) {
      CLI::App* const sub = root.add_subcommand(std::string(verb->name), std::string(verb->summary));
      sub->set_help_flag("-h,--help", "show this help");
      verbs.push_back({verb, sub, verb->make(), std::make_unique<AppOptions>(sub)});
      verbs.back().run->options(*verbs.back().options);
    }
  }

  Entry* find(std::string_view name) {
    for (Entry& e : verbs) {
      if (e.verb->name == name) return &e;
    }
    return nullptr;
  }
};

OptionModel describe(const CLI::Option& option, const Declared* declared) {
  OptionModel out;
  for (const std::string& name : option.get_snames()) out.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) out.names.push_back("--" + name);
  out.positional = out.names.empty();
  if (out.positional) out.names.push_back(option.get_name());
  out.group = option.get_group();
  out.help = option.get_description();
  if (declared == nullptr) {
    out.group = "Other";
    return out;
  }
  out.value = std::string(declared->spec.value);
  out.default_text = std::string(declared->spec.default_text);
  out.env = declared->env;
  out.choices = split(declared->spec.choices);
  out.many = declared->spec.many;
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
    OptionModel help;
    for (CLI::Option* option : sub->get_options()) {
      const Declared* const declared = entry.options->find(option);
      if (declared == nullptr) {
        help = describe(*option, nullptr);  // -h stands first in CLI11 and last in the help
      } else {
        verb.options.push_back(describe(*option, declared));
      }
    }
    verb.options.push_back(std::move(help));
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
    const Declared* const d = entry.options->find(option);
    if (d != nullptr && option->check_name(last) && !d->spec.value.empty()) {
      return {fmt::format("{} needs a value: {} {}", last, last, d->spec.value), see, base::Exit::usage};
    }
  }
  return {"a flag lacks its value, or has one too many", see, base::Exit::usage};
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
  base::Result<void> applied = entry->options->apply();
  if (!applied.ok()) {
    base::Error error = std::move(applied).error();
    if (error.fix.empty()) error.fix = see_help(verb);
    return fail(verb, error);
  }
  const base::Result<base::Exit> exit = entry->run->run({argv});
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
