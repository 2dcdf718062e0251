#include "agent/program.h"

#include <sys/prctl.h>
#include <unistd.h>

#include <new>

#include "agent/agent.h"
#include "agent/sandbox.h"

namespace mikroscope::agent {
namespace {

constexpr std::string_view kName = "mikroscope-agent: ";

void write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(fd, text.data(), text.size());
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

// A whole line in one write, so that a log does not cut it.
void say(int fd, std::string_view prefix, std::string_view text) {
  char line[2048];
  base::Writer out(line, sizeof line - 1);
  out.put(prefix);
  out.put(text);
  line[out.size()] = '\n';
  write_all(fd, {line, out.size() + 1});
}

int fail(std::string_view what, std::string_view why, int code) {
  char line[2048];
  base::Writer out(line, sizeof line - 1);
  out.put(kName);
  out.put(what);
  out.put(why);
  line[out.size()] = '\n';
  // On standard output, which is what RouterOS keeps in its log.
  write_all(STDOUT_FILENO, {line, out.size() + 1});
  return code;
}

int help() {
  char text[8192];
  base::Writer out(text, sizeof text);
  out.print("mikroscope-agent %s", kVersion);
  out.put(
      "\nReads this machine's kernel counters many times a second into memory and serves them over HTTP.\n"
      "\n"
      "usage: mikroscope-agent            run; SIGTERM or SIGINT ends it\n"
      "       mikroscope-agent -check     try the configuration and every source, print what they give, and "
      "end\n"
      "       mikroscope-agent -version\n"
      "       mikroscope-agent -help\n"
      "\n"
      "Configuration is by environment variables:\n");
  write_settings_help(out);
  out.put("\nConditions for TRIGGERS:\n");
  for (const ConditionDef& def : all_conditions()) {
    out.print("  %s%s%s", def.name, def.comparison,
              def.comparison.empty() ? std::string_view() : std::string_view("N"));
    out.pad(def.name.size() + (def.comparison.empty() ? 0 : 3), 22);
    out.put(std::string_view(def.help));
    if (!def.unit.empty()) {
      out.print(" [%s, ", def.unit);
      put_scaled(def.low, out);
      out.put("..");
      put_scaled(def.high, out);
      out.put(']');
    }
    out.put('\n');
  }
  out.put("\nExit codes: 0 ended as asked, 1 failed, 2 bad configuration or usage.\n");
  write_all(STDOUT_FILENO, out.view());
  return kExitOk;
}

// The one agent, which lives until the process ends, without a destructor. A new one is zero bytes, as this
// memory is; the constructor would write those zeroes one by one.
Agent& make_agent() {
  alignas(Agent) static char memory[sizeof(Agent)];
  return *std::launder(reinterpret_cast<Agent*>(memory));
}

int check(const Config& config) {
  Agent& agent = make_agent();
  char text[16384];
  base::Writer out(text, sizeof text);
  AgentOptions options;
  options.listen = false;
  options.handle_signals = false;
  if (!agent.start(config, options, out)) return fail({}, out.view(), kExitFailed);
  out.put("configuration good\n");
  for (const SourceState& s : agent.sampler().sources()) {
    out.print("  %s", s.def->name);
    out.pad(s.def->name.size(), 12);
    const std::string_view status =
        s.open() && s.failures != 0 ? std::string_view("failed") : proc::read_status_name(s.status);
    out.put(status);
    out.pad(status.size(), 10);
    if (s.period_ticks == 1) {
      out.put("every 1 tick");
    } else {
      out.print("every %u ticks (%s)", s.period_ticks, s.cadence.reason);
    }
    if (s.def->privileged) out.put(", needs privilege");
    out.put('\n');
  }
  out.put("tables read:");
  for (std::uint32_t i = 0; i < agent.store().layout->table_count; ++i) {
    if (!agent.sampler().state().has_table(i)) continue;
    const proc::Table& t = agent.store().layout->tables[i];
    out.print(" %s(%ux%u)", t.schema->table, t.rows, t.columns());
  }
  out.put('\n');
  agent.describe_memory(out);
  agent.lock_down();
  out.print("sandbox: %s\n", agent.service().sandbox);
  write_all(STDOUT_FILENO, out.view());
  return kExitOk;
}

int run(const Config& config) {
  // Started from a descriptor (the copy inside the command line tool), the kernel would call it by a number.
  prctl(PR_SET_NAME, "mikroscope-agent");
  Agent& agent = make_agent();
  char text[2048];
  base::Writer out(text, sizeof text);
  if (!agent.start(config, AgentOptions{}, out)) return fail({}, out.view(), kExitFailed);
  agent.lock_down();
  out.rewind(0);
  agent.describe(out);
  say(STDOUT_FILENO, {}, out.view());
  while (agent.turn(-1)) {
  }
  const bool asked = agent.exit_code() == kExitOk;
  agent.stop(asked ? "signal" : "failure");
  out.rewind(0);
  if (!asked) {
    const std::string_view source = agent.sampler().fatal_source();
    out.print("reading %s failed too often in a row; ", source.empty() ? std::string_view("events") : source);
  }
  out.print("stopped after %u samples, %u missed", agent.store().ring.newest(),
            agent.sampler().stats().missed);
  say(STDOUT_FILENO, kName, out.view());
  return agent.exit_code();
}

}  // namespace

int run_program(int argc, const char* const* argv) {
  bool checking = false;
  for (int i = 1; i < argc; ++i) {
    std::string_view argument(argv[i]);
    if (argument.starts_with("--")) argument.remove_prefix(1);
    if (argument == "-version") {
      say(STDOUT_FILENO, "mikroscope-agent ", kVersion);
      return kExitOk;
    }
    if (argument == "-help" || argument == "-h") return help();
    if (argument == "-check") {
      checking = true;
    } else {
      return fail("unknown argument, want -check, -version or -help: ", argv[i], kExitUsage);
    }
  }
  Config config;
  char text[2048];
  base::Writer error(text, sizeof text);
  if (!parse_environment(config, error)) return fail("bad configuration: ", error.view(), kExitUsage);
  return checking ? check(config) : run(config);
}

}  // namespace mikroscope::agent
