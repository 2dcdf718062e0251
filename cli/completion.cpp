#include "cli/completion.h"

#include <fmt/format.h>

namespace mikroscope::cli {
namespace {

// For single-quoted shell text.
std::string quoted(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
    }
  }
  return out;
}

// zsh's _arguments gives [ ] and : a meaning.
std::string zsh_text(std::string_view text) {
  std::string out;
  for (const char c : quoted(text)) {
    if (c == '[' || c == ']' || c == ':') out += '\\';
    out += c;
  }
  return out;
}

std::string verb_names(const AppModel& app) {
  std::string out = "help";
  for (const VerbModel& v : app.verbs) out += ' ' + v.name;
  return out;
}

bool takes_file(const OptionModel& o) {
  return o.choices.empty() && (o.value == "F" || o.value == "X" || o.value == "FILE" ||
                               o.value.find("PREFIX") != std::string::npos);
}

}  // namespace

std::string bash_completion(const AppModel& app) {
  std::string out = fmt::format("# bash completion of {0}\n_{0}() {{\n", app.program);
  out += "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} verb= w\n";
  out += "  COMPREPLY=()\n  for w in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n    case $w in\n";
  std::string alternatives;
  for (const VerbModel& v : app.verbs) alternatives += (alternatives.empty() ? "" : "|") + v.name;
  out += fmt::format("      {}|help) verb=$w; break ;;\n    esac\n  done\n", alternatives);
  out += fmt::format(
      "  if [[ -z $verb || $verb == help ]]; then\n    COMPREPLY=($(compgen -W '{}' -- \"$cur\"))\n"
      "    return\n  fi\n  case $verb in\n",
      verb_names(app));
  for (const VerbModel& v : app.verbs) {
    out += fmt::format("    {})\n      case $prev in\n", v.name);
    std::string flags;
    std::string words;
    for (const OptionModel& o : v.options) {
      if (o.no_flag) continue;
      if (o.positional) {
        words += fmt::format("{}{}", words.empty() ? "" : " ", fmt::join(o.choices, " "));
        continue;
      }
      flags += fmt::format("{}{}", flags.empty() ? "" : " ", fmt::join(o.names, " "));
      if (o.value.empty()) continue;
      const std::string names = fmt::format("{}", fmt::join(o.names, "|"));
      if (!o.choices.empty()) {
        out += fmt::format("        {}) COMPREPLY=($(compgen -W '{}' -- \"$cur\")); return ;;\n", names,
                           fmt::join(o.choices, " "));
      } else if (takes_file(o)) {
        out += fmt::format("        {}) COMPREPLY=($(compgen -f -- \"$cur\")); return ;;\n", names);
      } else {
        out += fmt::format("        {}) return ;;\n", names);
      }
    }
    out += fmt::format("      esac\n      COMPREPLY=($(compgen -W '{}{}{}' -- \"$cur\")) ;;\n", flags,
                       words.empty() ? "" : " ", words);
  }
  return out + fmt::format("  esac\n}}\ncomplete -o filenames -o bashdefault -F _{0} {0}\n", app.program);
}

std::string zsh_completion(const AppModel& app) {
  std::string out = fmt::format("#compdef {0}\n_{0}() {{\n  local -a verbs\n  verbs=(\n", app.program);
  for (const VerbModel& v : app.verbs) out += fmt::format("    '{}:{}'\n", v.name, zsh_text(v.summary));
  out +=
      "    'help:show help'\n  )\n  if (( CURRENT == 2 )); then\n    _describe verb verbs\n    return\n  fi\n"
      "  local verb=$words[2]\n  shift words\n  (( CURRENT-- ))\n  case $verb in\n";
  for (const VerbModel& v : app.verbs) {
    out += fmt::format("    {})\n      _arguments -s", v.name);
    for (const OptionModel& o : v.options) {
      if (o.no_flag) continue;
      std::string action;
      if (!o.choices.empty()) {
        action = fmt::format("({})", fmt::join(o.choices, " "));
      } else if (takes_file(o)) {
        action = "_files";
      }
      if (o.positional) {
        out += fmt::format(" \\\n        '{}:{}:{}'", o.many ? "*" : "1", zsh_text(o.value), action);
        continue;
      }
      for (const std::string& name : o.names) {
        out += fmt::format(" \\\n        '{}{}[{}]{}'", o.many ? "*" : "", name, zsh_text(o.help),
                           o.value.empty() ? "" : fmt::format(":{}:{}", zsh_text(o.value), action));
      }
    }
    out += " ;;\n";
  }
  return out + fmt::format(
                   "  esac\n}}\nif [[ $funcstack[1] == _{0} ]]; then\n  _{0} \"$@\"\nelse\n  compdef _{0} "
                   "{0}\nfi\n",
                   app.program);
}

std::string fish_completion(const AppModel& app) {
  std::string out = fmt::format("# fish completion of {}\ncomplete -c {} -f\n", app.program, app.program);
  for (const VerbModel& v : app.verbs) {
    out += fmt::format("complete -c {} -n __fish_use_subcommand -a {} -d '{}'\n", app.program, v.name,
                       quoted(v.summary));
  }
  out += fmt::format("complete -c {} -n __fish_use_subcommand -a help -d 'show help'\n", app.program);
  for (const VerbModel& v : app.verbs) {
    for (const OptionModel& o : v.options) {
      if (o.no_flag) continue;
      out += fmt::format("complete -c {} -n '__fish_seen_subcommand_from {}'", app.program, v.name);
      if (!o.positional) {
        for (const std::string& name : o.names) {
          out += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
        }
        if (!o.value.empty()) out += takes_file(o) ? " -r -F" : " -x";
      }
      if (!o.choices.empty()) out += fmt::format(" -a '{}'", fmt::join(o.choices, " "));
      out += fmt::format(" -d '{}'\n", quoted(o.help));
    }
  }
  return out;
}

}  // namespace mikroscope::cli
