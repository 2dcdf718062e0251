#include <fmt/format.h>

#include <algorithm>

#include "base/host/result.h"
#include "cli/completion.h"
#include "cli/exit_codes.h"
#include "cli/help.h"

namespace mikroscope::cli {
namespace {

// Text for roff: no character of it is a request or an escape.
std::string roff(std::string_view text) {
  std::string out;
  bool line_start = true;
  for (const char c : text) {
    if (line_start && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
    line_start = c == '\n';
  }
  return out;
}

}  // namespace

std::string man_page(const AppModel& app, const std::string& version) {
  std::string out = fmt::format(".TH MIKROSCOPE 1 \"\" \"{} {}\" \"User commands\"\n", app.program, version);
  out += fmt::format(".SH NAME\n{} \\- {}\n", app.program, roff(app.summary));
  out += fmt::format(".SH SYNOPSIS\n.B {}\n.I verb\n[flags]\n.SH VERBS\n", app.program);
  for (const VerbModel& v : app.verbs) out += fmt::format(".TP\n.B {}\n{}\n", v.name, roff(v.summary));
  for (const VerbModel& v : app.verbs) {
    std::string title = v.name;
    for (char& c : title) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
    out += fmt::format(".SH {}\n{}\n", title, roff(v.description.empty() ? v.summary : v.description));
    std::vector<std::string> groups;
    for (const OptionModel& o : v.options) {
      if (std::find(groups.begin(), groups.end(), o.group) == groups.end()) groups.push_back(o.group);
    }
    for (const std::string& group : groups) {
      out += fmt::format(".SS {}\n", roff(group));
      for (const OptionModel& o : v.options) {
        if (o.group == group)
          out += fmt::format(".TP\n.B {}\n{}\n", roff(option_head(o)), roff(option_text(o)));
      }
    }
    if (!v.examples.empty()) out += ".SS Examples\n";
    for (const Example& e : v.examples) {
      out += fmt::format(".TP\n.B {} {}\n{}\n", app.program, roff(e.command), roff(e.what));
    }
  }
  out +=
      ".SH FILES\n.TP\n.B ~/.config/mikroscope/config.toml\nsettings and named routers: [defaults] and "
      "[router.NAME], keys are the names of flags\n"
      ".TP\n.B ~/.local/state/mikroscope\nkeys of routers, and tokens of installed agents\n"
      ".SH ENVIRONMENT\n.TP\n.B MIKROSCOPE_TOKEN\nthe agent's bearer token\n"
      ".TP\n.B MIKROSCOPE_PASSWORD\nthe password of the router's account\n"
      ".TP\n.B MIKROSCOPE_AGENT\nthe agent program that \\-\\-local starts instead of the built\\-in one\n"
      ".TP\n.B NO_COLOR\nno colours\n.SH EXIT STATUS\n";
  for (const ExitCode& code : kExitCodes) {
    out += fmt::format(".TP\n.B {}\n{}\n", static_cast<int>(code.exit), roff(code.meaning));
  }
  return out;
}

}  // namespace mikroscope::cli
