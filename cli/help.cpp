#include "cli/help.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace mikroscope::cli {
namespace {

constexpr int kOptionColumn = 26;  // where the explanation begins
constexpr int kMaxWidth = 100;

std::size_t columns_of(std::string_view text) {
  std::size_t n = 0;
  for (const char c : text) n += (static_cast<unsigned char>(c) & 0xC0) != 0x80 ? 1 : 0;
  return n;
}

std::string usage(const AppModel& app, const VerbModel& verb) {
  std::string out = fmt::format("{} {}", app.program, verb.name);
  for (const OptionModel& o : verb.options) {
    if (o.positional) out += fmt::format(" [{}{}]", o.value, o.many ? " …" : "");
  }
  return out + " [flags]";
}

void option_lines(std::string& out, const OptionModel& option, const Style& style) {
  const std::string head = "  " + option_head(option);
  out += style.option + head + style.off;
  const std::string text = wrap(option_text(option), kOptionColumn, style.width);
  if (columns_of(head) + 1 < kOptionColumn) {
    out += text.substr(columns_of(head));  // the first line's indent makes room for the head
  } else {
    out += '\n' + text;
  }
}

// The verb whose help has this group in full.
std::string explained_in(const AppModel& app, const VerbModel& but, const std::string& group) {
  for (const VerbModel& verb : app.verbs) {
    if (&verb == &but) continue;
    for (const OptionModel& o : verb.options) {
      if (o.group == group && !o.brief) return verb.name;
    }
  }
  return {};
}

}  // namespace

Style style_of(std::FILE* stream) {
  Style style;
  const int fd = ::fileno(stream);
  if (::isatty(fd) == 0) return style;
  winsize size{};
  if (::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col >= 40)
    style.width = std::min<int>(size.ws_col, kMaxWidth);
  const char* const no_color = std::getenv("NO_COLOR");
  const char* const term = std::getenv("TERM");
  if ((no_color != nullptr && *no_color != '\0') || (term != nullptr && std::string_view(term) == "dumb"))
    return style;
  style.heading = "\033[1m";
  style.option = "\033[36m";
  style.error = "\033[1;31m";
  style.off = "\033[0m";
  return style;
}

std::string wrap(const std::string& text, int indent, int width) {
  const std::string margin(static_cast<std::size_t>(indent), ' ');
  const std::size_t room = static_cast<std::size_t>(std::max(width - indent, 24));
  std::string out;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string line;
    std::size_t at = begin;
    // A line that begins with blanks is an example: it is not refilled.
    if (at < end && text[at] == ' ') {
      line = text.substr(at, end - at);
      at = end;
    }
    while (at < end) {
      const std::size_t stop = std::min(text.find(' ', at), end);
      const std::string word = text.substr(at, stop - at);
      if (!line.empty() && columns_of(line) + 1 + columns_of(word) > room) {
        out += margin + line + '\n';
        line.clear();
      }
      if (!line.empty()) line += ' ';
      line += word;
      at = std::min(stop + 1, end);
    }
    out += line.empty() ? "\n" : margin + line + '\n';
    begin = end + 1;
  }
  return out;
}

std::string option_head(const OptionModel& option) {
  std::string out = option.positional ? option.value : fmt::format("{}", fmt::join(option.names, ", "));
  if (!option.positional && !option.value.empty()) out += ' ' + option.value;
  return out;
}

std::string option_text(const OptionModel& option) {
  std::string out = option.help;
  if (!option.choices.empty()) out += fmt::format(" ({})", fmt::join(option.choices, ", "));
  if (!option.default_text.empty()) out += fmt::format(" [default: {}]", option.default_text);
  if (!option.env.empty()) out += fmt::format(" [{}]", option.env);
  return out;
}

std::string overview_help(const AppModel& app, const Style& style) {
  std::string out = fmt::format("{}: {}\n\n", app.program, app.summary);
  out += fmt::format("{}Usage{}\n  {} <verb> [flags]\n\n{}Verbs{}\n", style.heading, style.off, app.program,
                     style.heading, style.off);
  std::size_t longest = 0;
  for (const VerbModel& v : app.verbs) longest = std::max(longest, v.name.size());
  for (const VerbModel& v : app.verbs) {
    const std::string head = fmt::format("  {:<{}}  ", v.name, longest);
    const std::string text = wrap(std::string(v.summary), static_cast<int>(head.size()), style.width);
    out += style.option + head + style.off + text.substr(head.size());
  }
  out += fmt::format("  {}{:<{}}{}  {}\n\n", style.option, "help", longest, style.off,
                     "this text, or help <verb>");
  out += fmt::format("{}Examples{}\n", style.heading, style.off);
  for (const VerbModel& v : app.verbs) {
    if (!v.examples.empty()) out += fmt::format("  {} {}\n", app.program, v.examples[0].command);
  }
  out +=
      "\n" + wrap(
                 "Every flag can also be set by its environment variable, named in its verb's help, and in "
                 "the configuration file with its named routers; --explain-config shows what counts. "
                 "Passwords and tokens come from the environment, a file or the terminal, never from the "
                 "command line.",
                 0, style.width);
  return out;
}

std::string verb_help(const AppModel& app, const VerbModel& verb, const Style& style) {
  std::string out = wrap(fmt::format("{} {}: {}", app.program, verb.name, verb.summary), 0, style.width);
  out += fmt::format("\n{}Usage{}\n  {}\n", style.heading, style.off, usage(app, verb));
  if (!verb.description.empty()) out += "\n" + wrap(verb.description, 0, style.width);
  std::vector<std::string> groups;
  for (const OptionModel& o : verb.options) {
    if (std::find(groups.begin(), groups.end(), o.group) == groups.end()) groups.push_back(o.group);
  }
  for (const std::string& group : groups) {
    out += fmt::format("\n{}{}{}\n", style.heading, group, style.off);
    std::string named;
    for (const OptionModel& o : verb.options) {
      if (o.group != group) continue;
      if (o.brief) {
        named += (named.empty() ? "" : ", ") + option_head(o);
      } else {
        option_lines(out, o, style);
      }
    }
    if (!named.empty()) {
      out += wrap(named, 2, style.width);
      const std::string where = explained_in(app, verb, group);
      if (!where.empty())
        out += wrap(fmt::format("explained by {} help {}", app.program, where), 2, style.width);
    }
  }
  if (!verb.examples.empty()) out += fmt::format("\n{}Examples{}\n", style.heading, style.off);
  for (const Example& e : verb.examples) {
    out += fmt::format("  {} {}\n", app.program, e.command);
    if (!e.what.empty()) out += wrap(std::string(e.what), 6, style.width);
  }
  return out;
}

void write_help(std::FILE* stream, const std::string& text) {
  std::fputs(text.c_str(), stream);
}

}  // namespace mikroscope::cli
