#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/host/files.h"
#include "cli/deploy_prepare.h"
#include "cli/token_store.h"
#include "cli/verb.h"
#include "routeros/deploy/uninstall.h"

namespace mikroscope::cli {
namespace {

class Uninstall final : public VerbRun {
 public:
  void options(OptionSet& set) override {
    router_.declare(set);
    set.flag({.names = "-y,--yes", .group = "Run", .help = "remove it; without this it is only listed"},
             yes_);
    set.flag({.names = "--json", .group = "Output", .help = "the list as a JSON object"}, json_);
    set.flag({.names = "-q,--quiet", .group = "Output", .help = "the result only"}, quiet_);
    deploy_.declare(set);
  }

  base::Result<base::Exit> run(const Invocation&) override {
    if (!router_.given())
      return base::Error{"--router is missing", "mikroscope uninstall --router admin@192.168.88.1",
                         base::Exit::usage};
    const StopSignals signals;
    base::Result<OnRouter> on = read_router(deploy_, router_, signals);
    if (!on.ok()) return std::move(on).error();
    SignalPace pace(signals);
    const routeros::Link link{*on->session, pace};
    const base::Result<routeros::Remains> remains = routeros::find_remains(link, on->options);
    if (!remains.ok()) return remains.error();
    list(*on, *remains);
    if (!yes_) return base::Exit::ok;
    if (!remains->nothing()) {
      on->session->interrupt_on(-1);
      routeros::Removing removing{link, print_events(quiet_ || json_)};
      base::Result<void> removed = routeros::uninstall(on->options, removing);
      if (!removed.ok()) return std::move(removed).error();
    }
    return forget(*on);
  }

 private:
  void list(const OnRouter& on, const routeros::Remains& remains) const {
    const std::vector<std::string> lines = remains.lines();
    if (json_) {
      const nlohmann::ordered_json json{{"installation", on.options.name},
                                        {"router", on.session->router()},
                                        {"tag", on.options.tag()},
                                        {"manifest", on.shape.manifest_path},
                                        {"objects", lines},
                                        {"left_alone", remains.strangers},
                                        {"unreadable", remains.unreadable}};
      std::fputs((json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n").c_str(), stdout);
      return;
    }
    if (quiet_) return;
    if (lines.empty()) {
      fmt::print("nothing of \"{}\" is on {}\n", on.options.name, on.session->router());
    } else {
      fmt::print("installation \"{}\" on {}: {} object(s){}\n", on.options.name, on.session->router(),
                 lines.size(), yes_ ? "" : " that uninstall --yes removes");
      if (on.shape.manifest_path.empty()) fmt::print("  without a manifest: found by its tag\n");
      if (!on.shape.manifest_trouble.empty())
        fmt::print("  its manifest cannot be read ({}): found by its tag\n", on.shape.manifest_trouble);
      for (const std::string& line : lines) fmt::print("  {}\n", line);
    }
    for (const std::string& name : remains.strangers)
      fmt::print("  left alone: {} (nothing says that it is ours)\n", name);
    for (const std::string& menu : remains.unreadable) fmt::print("  cannot be looked into: {}\n", menu);
  }

  // What this machine keeps for the installation goes with it.
  base::Result<base::Exit> forget(const OnRouter& on) const {
    base::Result<void> forgotten = TokenStore::of_user().forget(router_.host(), on.options.name);
    if (!forgotten.ok()) return std::move(forgotten).error();
    const base::Result<std::string> path = journal_path(router_.host(), on.options.name);
    if (path.ok() && base::exists(*path)) {
      base::Result<routeros::Journal> journal = routeros::Journal::open(*path);
      if (journal.ok()) journal->close();
    }
    if (!json_)
      fmt::print("verified: nothing of \"{}\" is left on {}\n", on.options.name, on.session->router());
    return base::Exit::ok;
  }

  RouterOptions router_;
  DeployOptions deploy_;
  bool yes_ = false;
  bool json_ = false;
  bool quiet_ = false;
};

constexpr Example kExamples[] = {
    {"uninstall --router admin@192.168.88.1", "lists what would be removed; touches nothing"},
    {"uninstall --router admin@192.168.88.1 --yes", "removes it, and counts afterwards"},
};

}  // namespace

const Verb kUninstallVerb{
    "uninstall",
    "remove the agent from a router",
    "Without --yes it only lists. Removed is exactly what carries the installation's tag, and what its "
    "record and the "
    "marker in its settings speak for; objects that merely look alike stay. Afterwards everything is "
    "counted: only when "
    "nothing is left it says so. It may be run again after whatever ended it.",
    kExamples,
    make_verb<Uninstall>,
};

}  // namespace mikroscope::cli
