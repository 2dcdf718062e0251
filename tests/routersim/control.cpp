#include "tests/routersim/control.h"

#include <fmt/format.h>

#include <fstream>
#include <iterator>

namespace mikroscope::routersim {
namespace {

User local_user() {
  const auto& policies = all_policies();
  return {"admin", {policies.begin(), policies.end()}, Via::local, "local"};
}

std::string fault(Router& router, const std::string& arg) {
  const auto wrong = router.set_fault(arg);
  return wrong ? "error: " + *wrong + "\n" : "";
}

std::string clear(Router& router, const std::string&) {
  router.clear_faults();
  return "";
}

std::string advance(Router& router, const std::string& arg) {
  auto* fake = dynamic_cast<FakeClock*>(&router.clock());
  if (fake == nullptr) return "error: the clock is real; start with --fake-clock\n";
  fake->advance(std::atoll(arg.c_str()));
  router.tick();
  return "";
}

std::string reboot(Router& router, const std::string&) {
  router.reboot();
  return "";
}

std::string exported(Router& router, const std::string&) {
  return router.export_text();
}

std::string files(Router& router, const std::string&) {
  std::string text;
  for (const std::string& path : router.file_paths()) text += path + "\n";
  return text;
}

std::string log(Router& router, const std::string& arg) {
  if (!arg.empty()) {
    router.log("script,info", arg);
    return "";
  }
  std::string text;
  for (const LogLine& line : router.log_lines()) text += line.topics + " " + line.message + "\n";
  return text;
}

std::string requests(Router& router, const std::string&) {
  std::string text;
  for (const Logged& entry : router.requests().all()) text += to_json(entry) + "\n";
  return text;
}

std::string counts(Router& router, const std::string&) {
  const RequestLog& log_of = router.requests();
  return fmt::format("logins {}\nwrites {}\nprints-without-proplist {}\n", log_of.logins(), log_of.writes(),
                     log_of.prints_without_proplist());
}

std::string forget(Router& router, const std::string&) {
  router.requests().clear();
  return "";
}

std::string agent(Router& router, const std::string& arg) {
  const std::string where = router.agent_at(arg);
  return where.empty() ? "error: no running container of that name, comment, veth or address\n"
                       : where + "\n";
}

std::string rows(Router& router, const std::string& arg) {
  std::string text;
  for (const Row& row : router.rows(arg)) {
    for (const auto& [name, value] : row) text += fmt::format("{}={} ", name, value);
    text += "\n";
  }
  return text;
}

// "/ip/address/remove|.id=*1": what somebody else does to the router meanwhile.
std::string execute(Router& router, const std::string& arg) {
  Request request;
  std::size_t bar = std::min(arg.find('|'), arg.size());
  const std::string command = arg.substr(0, bar);
  const std::size_t slash = command.rfind('/');
  if (slash == std::string::npos) return "error: want /menu/verb|name=value|...\n";
  request.menu = command.substr(0, slash);
  request.verb = command.substr(slash + 1);
  while (bar < arg.size()) {
    const std::size_t next = std::min(arg.find('|', bar + 1), arg.size());
    const std::string pair = arg.substr(bar + 1, next - bar - 1);
    const std::size_t equals = std::min(pair.find('='), pair.size());
    request.attributes.append(pair.substr(0, equals), equals < pair.size() ? pair.substr(equals + 1) : "");
    bar = next;
  }
  const Outcome outcome = router.execute(local_user(), request);
  std::string text;
  for (const Trap& trap : outcome.traps) text += "error: " + trap.message + "\n";
  for (const Row& row : outcome.rows) {
    for (const auto& [name, value] : row) text += fmt::format("{}={} ", name, value);
    text += "\n";
  }
  if (outcome.ret) text += *outcome.ret + "\n";
  return text;
}

std::string put(Router& router, const std::string& arg) {
  const std::size_t blank = arg.find(' ');
  if (blank == std::string::npos) return "error: want FILE PATH\n";
  std::ifstream in(arg.substr(0, blank), std::ios::binary);
  if (!in) return "error: cannot read " + arg.substr(0, blank) + "\n";
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  const auto upload = router.upload(arg.substr(blank + 1));
  if (upload == nullptr || !upload->append(bytes)) return "error: no room\n";
  upload->commit();
  return "";
}

std::string help(Router&, const std::string&) {
  std::string text;
  for (const ControlDef& def : all_controls())
    text += fmt::format("{} {}\t{}\n", def.name, def.arg, def.help);
  return text;
}

constexpr ControlDef kControls[] = {
    {"fault", "NAME[=ARG]", "sets a fault", fault},
    {"clear", "", "clears every fault", clear},
    {"advance", "MS", "moves a fake clock", advance},
    {"reboot", "", "reboots: connections are cut, tmpfs is emptied", reboot},
    {"export", "", "prints the configuration", exported},
    {"files", "", "lists every file", files},
    {"log", "[TEXT]", "prints the router's log, or adds a line", log},
    {"requests", "", "prints the request log as JSON lines", requests},
    {"counts", "", "counts logins, writes, and prints without .proplist", counts},
    {"forget", "", "empties the request log", forget},
    {"agent", "NAME", "where the agent of a container can be reached", agent},
    {"rows", "MENU", "prints a menu's rows", rows},
    {"execute", "/MENU/VERB|NAME=VALUE|...", "runs a command with all policies", execute},
    {"put", "FILE PATH", "stores a file of this machine on the router", put},
    {"help", "", "this list", help},
    {"quit", "", "ends the program", [](Router&, const std::string&) { return std::string(); }},
};

}  // namespace

std::span<const ControlDef> all_controls() {
  return kControls;
}

std::string control(Router& router, const std::string& line) {
  const std::size_t blank = std::min(line.find(' '), line.size());
  const std::string name = line.substr(0, blank);
  const std::string arg = blank < line.size() ? line.substr(blank + 1) : "";
  for (const ControlDef& def : kControls) {
    if (def.name == name) return def.run(router, arg);
  }
  return "error: there is no control \"" + name + "\"; help lists them\n";
}

}  // namespace mikroscope::routersim
