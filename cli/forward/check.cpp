#include "cli/forward/check.h"

#include <fmt/format.h>

#include <cstdio>

namespace mikroscope::cli {
namespace {

base::Result<std::string> ask(const ForwardTarget& target) {
  auto open = target.options->open();
  if (!open.ok()) return open.error();
  if (auto allowed = open->link->check_token(); !allowed.ok()) return allowed.error();
  const auto health = open->link->health();
  if (!health.ok()) return health.error();
  return fmt::format("agent {}, {} Hz, via {}", health->version.empty() ? "?" : health->version,
                     health->rate_hz, open->link->describe());
}

}  // namespace

base::Result<base::Exit> check_all(const std::vector<ForwardTarget>& targets,
                                   const std::vector<std::unique_ptr<sinks::Sink>>& sinks) {
  base::Exit exit = base::Exit::ok;
  const auto tell = [&](const std::string& name, const base::Result<std::string>& answer) {
    if (answer.ok()) {
      fmt::print(stderr, "  ok    {}: {}\n", name, *answer);
      return;
    }
    const base::Error& error = answer.error();
    fmt::print(stderr, "  FAIL  {}: {}\n", name, error.what);
    if (!error.fix.empty()) fmt::print(stderr, "        try: {}\n", error.fix);
    if (exit == base::Exit::ok) exit = error.exit;
  };
  for (const auto& sink : sinks) tell(sink->name(), sink->check());
  for (const ForwardTarget& target : targets) tell(target.host, ask(target));
  return exit;
}

}  // namespace mikroscope::cli
