#include <fmt/format.h>

#include <cstdio>

#include "cli/deploy_prepare.h"
#include "cli/token_store.h"
#include "cli/verb.h"
#include "routeros/deploy/upgrade.h"

namespace mikroscope::cli {
namespace {

class Upgrade final : public VerbRun {
 public:
  void options(OptionSet& set) override {
    router_.declare(set);
    set.flag({.names = "-y,--yes", .group = "Run", .help = "do not ask before writing"}, yes_);
    set.flag({.names = "--dry-run", .group = "Run", .help = "stop after the listing; nothing is written"},
             dry_run_);
    set.text(
        {.names = "--upload",
         .group = "Run",
         .value = "WAY",
         .help = "how the image gets there: sftp, or fetch (the router fetches it from this machine, once)",
         .choices = "auto,sftp,fetch",
         .default_text = "auto"},
        upload_);
    set.text({.names = "--token-file",
              .group = "Access",
              .value = "F",
              .help = "the agent's token is the first line of F; otherwise it keeps the one that it has"},
             token_.file);
    set.flag({.names = "--new-token", .group = "Access", .help = "make a new token"}, token_.make_new);
    set.flag({.names = "-q,--quiet", .group = "Output", .help = "the result only"}, quiet_);
    deploy_.declare(set);
  }

  base::Result<base::Exit> run(const Invocation&) override {
    if (!router_.given())
      return base::Error{"--router is missing", "mikroscope upgrade --router admin@192.168.88.1",
                         base::Exit::usage};
    const base::Result<UploadWay> way = parse_upload_way(upload_);
    if (!way.ok()) return way.error();
    const StopSignals signals;
    base::Result<OnRouter> on = read_router(deploy_, router_, signals);
    if (!on.ok()) return std::move(on).error();
    const routeros::Occupied occupied = routeros::find_occupied(on->facts, on->options, on->shape.slot);
    if (occupied.old.id().empty()) {
      return base::Error{
          fmt::format("there is no agent \"{}\" on {}", on->options.name, on->session->router()),
          on->shape.installed ? "an installation was begun: `mikroscope install` goes on with it"
                              : "`mikroscope install` puts one there",
          base::Exit::no_data};
    }
    base::Result<void> good = check_upload_way(*on->session, *way);
    if (good.ok()) good = choose_token(token_, router_, *on);
    if (!good.ok()) return std::move(good).error();
    const base::Result<AgentImage> image = load_image(on->options, on->facts);
    if (!image.ok()) return image.error();
    const base::Result<routeros::Plan> plan =
        routeros::make_upgrade_plan(on->facts, on->options, image->source, occupied);
    if (!plan.ok()) return plan.error();
    const routeros::Decisions decisions = routeros::decide(*plan, on->facts);
    good = routeros::refuse_collisions(*plan, decisions);
    if (!good.ok()) return std::move(good).error();
    if (!quiet_ || dry_run_)
      std::fputs(routeros::upgrade_listing(*plan, decisions, occupied, on->session->router()).c_str(),
                 stdout);
    if (dry_run_) return base::Exit::ok;
    if (!yes_ && !confirmed(fmt::format("write this to {}?", on->session->router())))
      return base::Error{"not confirmed; nothing was written", "answer y, or give --yes"};
    return carry_out(*on, *plan, decisions, occupied, *image, *way, signals);
  }

 private:
  base::Result<base::Exit> carry_out(OnRouter& on, const routeros::Plan& plan,
                                     const routeros::Decisions& decisions, const routeros::Occupied& occupied,
                                     const AgentImage& image, UploadWay way, const StopSignals& signals) {
    SignalPace pace(signals);
    routeros::Journal journal;  // an upgrade brings its own way back
    on.session->interrupt_on(-1);
    routeros::Applying applying{{*on.session, pace},
                                journal,
                                print_events(quiet_),
                                make_upload(*on.session, way, signals.fd(), quiet_),
                                image.tar};
    const routeros::Probing probing = [&] { return probe_agent(applying.link, on.options, signals.fd()); };
    const base::Result<routeros::UpgradeResult> done =
        routeros::upgrade(plan, decisions, occupied, applying, probing);
    if (!done.ok()) return done.error();
    if (!on.options.token.empty()) {
      base::Result<void> kept = TokenStore::of_user().keep(router_.host(), on.options.name, on.options.token);
      if (!kept.ok()) return std::move(kept).error();
    }
    fmt::print("upgraded: {}\n", done->probe.text);
    if (!done->probe.fix.empty()) fmt::print("  {}\n", done->probe.fix);
    if (!quiet_) {
      fmt::print("  leave the router powered for {} s: until then a power cut can damage what was written\n",
                 kFlushNs / routeros::kSecondNs);
    }
    return base::Exit::ok;
  }

  RouterOptions router_;
  DeployOptions deploy_;
  TokenChoice token_;
  std::string upload_ = "auto";
  bool yes_ = false;
  bool dry_run_ = false;
  bool quiet_ = false;
};

constexpr Example kExamples[] = {
    {"upgrade --router admin@192.168.88.1", "this version's agent, with all settings that the old one has"},
    {"upgrade --router home --rate 50", "the same, at 50 samples a second"},
};

}  // namespace

const Verb kUpgradeVerb{
    "upgrade",
    "replace the agent on a router, or change its settings",
    "The new container is unpacked beside the old one, which runs on meanwhile; then they change places. If "
    "the new "
    "agent does not answer, the old one is started again.\n"
    "Settings that are not given are kept, and so is the token.",
    kExamples,
    make_verb<Upgrade>,
};

}  // namespace mikroscope::cli
