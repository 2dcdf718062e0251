#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "base/host/files.h"
#include "cli/deploy_prepare.h"
#include "cli/token_store.h"
#include "cli/verb.h"
#include "routeros/deploy/apply.h"
#include "routeros/deploy/listing.h"

namespace mikroscope::cli {
namespace {

class Install final : public VerbRun {
 public:
  void options(OptionSet& set) override {
    router_.declare(set);
    set.flag({.names = "-y,--yes", .group = "Run", .help = "do not ask before writing"}, yes_);
    set.flag({.names = "--dry-run", .group = "Run", .help = "stop after the listing; nothing is written"},
             dry_run_);
    set.flag({.names = "--no-doctor", .group = "Run", .help = "skip the checks of mikroscope doctor"},
             no_doctor_);
    set.flag(
        {.names = "--rollback",
         .group = "Run",
         .help =
             "undo what this run made when it fails; after a run that was killed: undo what that made, and "
             "end"},
        rollback_);
    set.text(
        {.names = "--upload",
         .group = "Run",
         .value = "WAY",
         .help = "how the image gets there: sftp, or fetch (the router fetches it from this machine, once)",
         .choices = "auto,sftp,fetch",
         .default_text = "auto"},
        upload_);
    set.flag(
        {.names = "--wait-flush",
         .group = "Run",
         .help = "wait until the router has written its caches (45 s), so that a power cut does no harm"},
        wait_flush_);
    set.text({.names = "--token-file",
              .group = "Access",
              .value = "F",
              .help = "take the agent's token from the first line of F instead of making one"},
             token_.file);
    set.flag({.names = "-q,--quiet", .group = "Output", .help = "the result only"}, quiet_);
    deploy_.declare(set);
  }

  base::Result<base::Exit> run(const Invocation&) override {
    if (!router_.given()) {
      return base::Error{"--router is missing", "mikroscope install --router admin@192.168.88.1",
                         base::Exit::usage};
    }
    const base::Result<UploadWay> way = parse_upload_way(upload_);
    if (!way.ok()) return way.error();
    base::Result<void> good = check_deploy(deploy_, router_);
    if (!good.ok()) return std::move(good).error();
    const StopSignals signals;
    base::Result<OnRouter> on = read_router(deploy_, router_, signals);
    if (!on.ok()) return std::move(on).error();
    const base::Result<std::string> path = journal_path(router_.host(), on->options.name);
    if (!path.ok()) return path.error();
    if (rollback_ && base::exists(*path)) return undo_earlier(*on, *path, signals);
    good = check_upload_way(*on->session, *way);
    if (!good.ok()) return std::move(good).error();
    good = choose_token(token_, router_, *on);
    if (good.ok() && !no_doctor_) good = run_doctor(on->facts, on->options, quiet_);
    if (!good.ok()) return std::move(good).error();
    base::Result<AgentImage> image = load_image(on->options, on->facts);
    const base::Result<routeros::Plan> plan = routeros::make_plan(
        on->facts, on->options, image.ok() ? image->source : routeros::ImageSource(), on->shape.slot);
    if (!plan.ok()) return plan.error();
    const routeros::Decisions decisions = routeros::decide(*plan, on->facts);
    good = routeros::refuse_collisions(*plan, decisions);
    if (good.ok()) good = refuse_changes(*plan, decisions);
    // Where the container is there already, its image is not needed.
    if (good.ok() && !image.ok() && !decisions.container) return std::move(image).error();
    if (!image.ok()) image = AgentImage();
    if (!good.ok()) return std::move(good).error();
    const bool complete =
        std::all_of(decisions.steps.begin(), decisions.steps.end(),
                    [](const auto& decision) { return decision.standing == routeros::Standing::ours; });
    if (complete && !dry_run_) return already_there(*on, signals);
    if (!quiet_ || dry_run_)
      std::fputs(routeros::plan_listing(*plan, on->session->router(), &decisions).c_str(), stdout);
    if (dry_run_) return base::Exit::ok;
    if (!yes_ && !confirmed(fmt::format("write this to {}?", on->session->router()))) {
      return base::Error{"not confirmed; nothing was written", "answer y, or give --yes"};
    }
    return carry_out(*on, *plan, decisions, *image, *way, *path, signals);
  }

 private:
  // An agent that is there keeps its settings: they are read when it starts, and only an upgrade starts it
  // anew.
  static base::Result<void> refuse_changes(const routeros::Plan& plan, const routeros::Decisions& decisions) {
    if (!decisions.container) return {};
    if (!decisions.stale_entries.empty()) {
      return base::Error{
          fmt::format("\"{}\" is installed with {} setting(s) that are not wanted now, such as a "
                      "token with --no-token",
                      plan.options.name, decisions.stale_entries.size()),
          "change them with `mikroscope upgrade`, or leave that out", base::Exit::refused};
    }
    for (std::size_t i = 0; i < plan.steps.size(); ++i) {
      const bool setting = plan.steps[i].owner == routeros::Owner::marker;
      if (!setting || decisions.steps[i].standing == routeros::Standing::ours) continue;
      return base::Error{fmt::format("\"{}\" is installed with other settings ({})", plan.options.name,
                                     decisions.steps[i].evidence.empty() ? plan.steps[i].name + " is new"
                                                                         : decisions.steps[i].evidence),
                         "change them with `mikroscope upgrade`, or leave them out", base::Exit::refused};
    }
    return {};
  }

  base::Result<base::Exit> already_there(OnRouter& on, const StopSignals& signals) const {
    if (!quiet_) fmt::print("\"{}\" is installed already; nothing to write\n", on.options.name);
    SignalPace pace(signals);
    const base::Result<routeros::ProbeResult> probe =
        probe_agent({*on.session, pace}, on.options, signals.fd());
    if (!probe.ok()) return probe.error();
    return report(*probe, nullptr);
  }

  base::Result<base::Exit> carry_out(OnRouter& on, const routeros::Plan& plan,
                                     const routeros::Decisions& decisions, const AgentImage& image,
                                     UploadWay way, const std::string& path, const StopSignals& signals) {
    if (!on.options.token.empty()) {
      base::Result<void> kept = TokenStore::of_user().keep(router_.host(), on.options.name, on.options.token);
      if (!kept.ok()) return std::move(kept).error();
    }
    base::Result<routeros::Journal> journal = routeros::Journal::open(path);
    if (!journal.ok()) return std::move(journal).error();
    SignalPace pace(signals);
    // A write is never cut off in the middle: a signal is answered between two steps.
    on.session->interrupt_on(-1);
    routeros::Applying applying{{*on.session, pace},
                                *journal,
                                print_events(quiet_),
                                make_upload(*on.session, way, signals.fd(), quiet_),
                                image.tar};
    base::Result<void> done = routeros::apply(plan, decisions, applying);
    if (!done.ok()) return failed(on, plan, std::move(done).error(), *journal, pace);
    const base::Result<routeros::ProbeResult> probe = probe_agent(applying.link, on.options, signals.fd());
    if (!probe.ok()) return unproven(probe.error());
    journal->close();
    return report(*probe, &pace);
  }

  static base::Error unproven(base::Error error) {
    error.what = "installed, but it was not found out whether the agent answers: " + error.what;
    error.fix = "`mikroscope status` asks it; `mikroscope uninstall` removes it";
    return error;
  }

  base::Result<base::Exit> report(const routeros::ProbeResult& probe, SignalPace* wrote) const {
    using routeros::Reach;
    if (probe.reach == Reach::silent || probe.reach == Reach::not_running) {
      base::Error error{"installed, but " + probe.text, probe.fix};
      error.fix += "; everything was left in place (mikroscope uninstall removes it)";
      return error;
    }
    fmt::print("installed: {}\n", probe.text);
    if (!probe.fix.empty()) fmt::print("  {}\n", probe.fix);
    if (wrote == nullptr) return base::Exit::ok;
    if (wait_flush_) {
      if (!quiet_)
        fmt::print("  waiting {} s until the router has written its caches\n",
                   kFlushNs / routeros::kSecondNs);
      std::fflush(stdout);
      if (!wrote->wait_ns(kFlushNs))
        return base::Error{"installed, but interrupted while waiting", "", base::Exit::interrupted};
    } else if (!quiet_) {
      fmt::print("  leave the router powered for {} s: until then a power cut can damage what was written\n",
                 kFlushNs / routeros::kSecondNs);
    }
    return base::Exit::ok;
  }

  base::Result<base::Exit> failed(OnRouter& on, const routeros::Plan& plan, base::Error error,
                                  routeros::Journal& journal, SignalPace& pace) {
    if (!rollback_) {
      if (journal.entries().empty()) return error;
      constexpr std::string_view kLeft =
          "what was made is left: `mikroscope install` goes on, `mikroscope install --rollback` undoes it, "
          "`mikroscope uninstall` removes everything";
      const bool alone = error.fix.empty() || error.exit == base::Exit::interrupted;
      error.fix = alone ? std::string(kLeft) : fmt::format("{}; {}", error.fix, kLeft);
      return error;
    }
    pace.go_on();
    const base::Result<void> undone = undo(on, plan.options, plan.version, journal, pace);
    if (!undone.ok()) {
      error.what += "; and " + undone.error().what;
      error.fix = undone.error().fix;
      return error;
    }
    error.what += "; what this run had made is undone";
    return error;
  }

  // Over a new session where the old one was lost.
  base::Result<void> undo(OnRouter& on, const routeros::Options& options, const routeros::Version& version,
                          routeros::Journal& journal, SignalPace& pace) {
    if (!on.session->print({"/system/identity", {"name"}, {}}).ok()) {
      base::Result<std::unique_ptr<routeros::Session>> again = router_.connect(-1);
      if (!again.ok()) return std::move(again).error();
      on.session = std::move(*again);
    }
    routeros::Applying applying{{*on.session, pace}, journal, print_events(quiet_), {}, {}};
    return routeros::roll_back(options, version, applying);
  }

  base::Result<base::Exit> undo_earlier(OnRouter& on, const std::string& path, const StopSignals& signals) {
    base::Result<routeros::Journal> journal = routeros::Journal::open(path);
    if (!journal.ok()) return std::move(journal).error();
    fmt::print("undoing what an earlier run made on {}: {} object(s)\n", on.session->router(),
               journal->entries().size());
    if (!yes_ && !confirmed("undo it?")) return base::Error{"not confirmed; nothing was changed", ""};
    SignalPace pace(signals);
    on.session->interrupt_on(-1);
    const base::Result<void> undone =
        undo(on, on.options, on.facts.version().value_or(routeros::kFullVersion), *journal, pace);
    if (!undone.ok()) return undone.error();
    fmt::print("undone\n");
    return base::Exit::ok;
  }

  RouterOptions router_;
  DeployOptions deploy_;
  TokenChoice token_;
  std::string upload_ = "auto";
  bool yes_ = false;
  bool dry_run_ = false;
  bool no_doctor_ = false;
  bool rollback_ = false;
  bool wait_flush_ = false;
  bool quiet_ = false;
};

constexpr Example kExamples[] = {
    {"install --router admin@192.168.88.1", "checks the router, lists every write, asks, installs, probes"},
    {"install --router admin@192.168.88.1 --ephemeral",
     "on a memory disk: no write to flash, gone after a reboot"},
    {"install --router home --rate 50 --expose --yes",
     "50 samples a second, reachable at the router's LAN address"},
    {"install --router home --rollback", "after a run that was killed: undo what it made"},
};

}  // namespace

const Verb kInstallVerb{
    "install",
    "put the agent on a router",
    "Checks the router (mikroscope doctor), lists every command, asks, and carries it out; a record of the "
    "installation is written first. Each object carries a tag, so that uninstall finds exactly these.\n"
    "A token is made for the agent and kept on this machine and in its settings on the router.\n"
    "Ctrl-C ends it between two steps. Whatever ended a run, install goes on from there and uninstall "
    "removes what is "
    "there.",
    kExamples,
    make_verb<Install>,
};

}  // namespace mikroscope::cli
