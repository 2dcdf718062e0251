#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "base/host/files.h"
#include "cli/deploy_options.h"
#include "cli/deploy_prepare.h"
#include "cli/doctor_report.h"
#include "cli/router_options.h"
#include "cli/router_target.h"
#include "cli/signals.h"
#include "cli/verb.h"
#include "routeros/deploy/facts_json.h"
#include "routeros/deploy/shape.h"

namespace mikroscope::cli {
namespace {

class Doctor final : public VerbRun {
 public:
  void options(OptionSet& set) override {
    router_.declare(set);
    deploy_.declare(set);
    set.flag({.names = "--json", .group = "Output", .help = "the findings as a JSON object"}, json_);
    set.text(
        {.names = "--save-facts",
         .group = "Output",
         .value = "FILE",
         .help = "also keep what was read from the router, without secrets but with its addresses, names "
                 "and comments: for a report of an error"},
        save_);
    set.text({.names = "--facts",
              .group = "Target",
              .value = "FILE",
              .help = "check the router that --save-facts wrote down; nothing is connected"},
             file_);
  }

  base::Result<base::Exit> run(const Invocation&) override {
    if (file_.empty() && !router_.given()) {
      return base::Error{"doctor needs a router", "give --router user@host, or --facts FILE",
                         base::Exit::usage};
    }
    base::Result<void> good = check_deploy(deploy_, router_);
    if (good.ok() && file_.empty()) good = router_.check();
    if (!good.ok()) return std::move(good).error();
    const StopSignals signals;
    base::Result<OnRouter> on = file_.empty() ? read_router(deploy_, router_, signals) : read_file();
    if (!on.ok()) return std::move(on).error();
    if (!save_.empty()) {
      // It holds addresses and names: for its owner's eyes.
      good = base::replace_file(save_, routeros::facts_to_json(on->facts), 0600);
      if (!good.ok()) return std::move(good).error();
    }
    DoctorReport report;
    report.router = file_.empty() ? router_.name() : file_;
    report.facts = &on->facts;
    report.code_page = router_.code_page();
    if (on->shape.installed)
      report.about = fmt::format("\"{}\" is installed: checked with its own options", on->options.name);
    for (const routeros::Check* const check : routeros::all_checks())
      report.findings.emplace_back(check, check->run(on->facts, on->options));
    good = look_at_agent(*on, signals, report);
    if (!good.ok()) return std::move(good).error();
    return show(report);
  }

 private:
  base::Result<OnRouter> read_file() const {
    const base::Result<std::string> text = base::read_text(file_);
    if (!text.ok()) return text.error();
    base::Result<routeros::Facts> facts = routeros::facts_from_json(*text);
    if (!facts.ok()) {
      base::Error error = std::move(facts).error();
      error.what = fmt::format("{}: {}", file_, error.what);
      return error;
    }
    OnRouter out;
    out.facts = std::move(*facts);
    out.shape = routeros::read_shape(out.facts, deploy_.options());
    base::Result<routeros::Options> merged =
        routeros::merge_options(out.shape, deploy_.options(), deploy_.given());
    if (!merged.ok()) return std::move(merged).error();
    out.options = std::move(*merged);
    base::Result<void> settled = routeros::settle(out.options);
    if (!settled.ok()) return std::move(settled).error();
    return out;
  }

  // An agent that does not answer is said, and is no failure.
  base::Result<void> look_at_agent(OnRouter& on, const StopSignals& signals, DoctorReport& report) const {
    if (on.session == nullptr) {
      report.no_health = "no router was asked";
      return {};
    }
    if (!on.shape.installed) {
      report.no_health = fmt::format("no agent \"{}\" is installed", on.options.name);
      return {};
    }
    RouterTargetOptions target_options;
    target_options.installation = on.options.name;
    base::Result<Target> target =
        open_router_target(router_, std::move(on.session), target_options, signals.fd());
    base::Result<AgentHealth> health =
        target.ok() ? (target->link->interrupt_on(signals.fd()), read_agent_health(*target->link))
                    : base::Result<AgentHealth>(target.error());
    if (health.ok()) {
      report.health = std::move(*health);
    } else if (health.error().exit == base::Exit::interrupted) {
      return health.error();
    } else {
      report.no_health = health.error().what;
    }
    return {};
  }

  base::Result<base::Exit> show(const DoctorReport& report) const {
    const std::size_t missing = report.count(routeros::Level::missing);
    const std::size_t warnings = report.count(routeros::Level::warn);
    if (json_) {
      std::fputs(report_json(report).c_str(), stdout);
      return missing == 0 ? base::Exit::ok : base::Exit::failed;
    }
    std::fputs(report_text(report).c_str(), stdout);
    if (missing != 0) {
      std::fflush(stdout);
      return base::Error{fmt::format("{} prerequisite{} missing; nothing was written", missing,
                                     missing == 1 ? " is" : "s are"),
                         "do what stands behind \"fix:\", then run this again"};
    }
    const bool all_known = std::none_of(report.findings.begin(), report.findings.end(), [](const auto& f) {
      return f.second.level == routeros::Level::warn && f.second.unknown;
    });
    fmt::print("{}{}; nothing was written\n",
               all_known ? "every prerequisite is met" : "nothing that the account may read is missing",
               warnings == 0 ? "" : fmt::format(", with {} warning{}", warnings, warnings == 1 ? "" : "s"));
    return base::Exit::ok;
  }

  RouterOptions router_;
  DeployOptions deploy_;
  std::string file_;
  std::string save_;
  bool json_ = false;
};

constexpr Example kExamples[] = {
    {"doctor --router admin@192.168.88.1", "what an installation would need there"},
    {"doctor --router home --expose --lan-address 192.168.88.1", "with the options of the installation"},
    {"doctor --router home --save-facts facts.json", "for a report of an error"},
    {"doctor --facts facts.json", "the same findings again, without the router"},
};

}  // namespace

const Verb kDoctorVerb{
    "doctor",
    "check a router for what an installation needs, and its agent's memory for trouble",
    "Reads the router once over one login and writes nothing. Give it the options that you will give to "
    "install: each finding says what was read, and what is missing comes with the command that mends it. A "
    "menu that the account may not read costs its line only. WARN never stops an installation.\n"
    "Where the agent is installed, its memory is searched for frames that loop, ports that do not settle, "
    "links that flap and packets that were dropped.",
    kExamples,
    make_verb<Doctor>,
};

}  // namespace mikroscope::cli
