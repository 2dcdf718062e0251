#include <fmt/format.h>

#include <cstdio>

#include "base/host/files.h"
#include "cli/deploy_prepare.h"
#include "cli/token_store.h"
#include "cli/verb.h"
#include "routeros/deploy/listing.h"
#include "routeros/deploy/script.h"
#include "routeros/deploy/token.h"

namespace mikroscope::cli {
namespace {

// architecture-name of a router that the agent `arch` is for.
std::string_view router_architecture(std::string_view arch) {
  if (arch == "amd64") return "x86_64";
  return arch.starts_with("armv") ? "arm" : "arm64";
}

class PlanVerb final : public VerbRun {
 public:
  void options(OptionSet& set) override {
    router_.declare(set);
    set.text({.names = "--ros",
              .group = "Router",
              .value = "VERSION",
              .help = "without --router: the RouterOS version to plan for",
              .default_text = "7.24"},
             ros_, &ros_origin_);
    set.text(
        {.names = "--rsc",
         .group = "Output",
         .value = "FILE",
         .help = "write a RouterOS script that does it all; with a token it is a credential (mode 0600)"},
        rsc_);
    set.flag({.names = "--json", .group = "Output", .help = "the plan as a JSON object"}, json_);
    deploy_.declare(set);
  }

  base::Result<base::Exit> run(const Invocation&) override {
    base::Result<void> good = check_deploy(deploy_, router_);
    if (!good.ok()) return std::move(good).error();
    if (router_.given() && ros_origin_ == Origin::command_line) {
      return base::Error{"--ros is for a plan without a router; this one says which RouterOS it runs",
                         "leave out --ros, or --router (and MIKROSCOPE_ROUTER)", base::Exit::usage};
    }
    return router_.given() ? with_router() : offline();
  }

 private:
  base::Result<base::Exit> offline() {
    const std::optional<routeros::Version> version = routeros::parse_version(ros_);
    if (!version)
      return base::Error{fmt::format("--ros: \"{}\" is no RouterOS version", ros_), "--ros 7.24",
                         base::Exit::usage};
    const std::string_view arch =
        deploy_.options().arch == "auto" ? "arm64" : std::string_view(deploy_.options().arch);
    const routeros::Facts facts = routeros::assumed_facts(*version, router_architecture(arch));
    routeros::Options options = deploy_.options();
    base::Result<void> settled = routeros::settle(options);
    if (!settled.ok()) return std::move(settled).error();
    if (!options.no_token) {
      base::Result<std::string> token = routeros::make_token();
      if (!token.ok()) return std::move(token).error();
      options.token = std::move(*token);
    }
    const base::Result<routeros::Plan> plan = routeros::make_plan(facts, options, image(options, facts));
    if (!plan.ok()) return plan.error();
    return show(*plan, "", nullptr);
  }

  base::Result<base::Exit> with_router() {
    const StopSignals signals;
    base::Result<OnRouter> on = read_router(deploy_, router_, signals);
    if (!on.ok()) return std::move(on).error();
    base::Result<void> token = choose_token({}, router_, *on);
    if (!token.ok()) {
      // A listing does not show it, a script needs it.
      if (token.error().exit != base::Exit::auth || !rsc_.empty()) return std::move(token).error();
      on->options.token = "(unknown)";
    }
    const base::Result<routeros::Plan> plan =
        routeros::make_plan(on->facts, on->options, image(on->options, on->facts), on->shape.slot);
    if (!plan.ok()) return plan.error();
    const routeros::Decisions decisions = routeros::decide(*plan, on->facts);
    base::Result<base::Exit> shown = show(*plan, on->session->router(), &decisions);
    if (!shown.ok()) return shown;
    std::fflush(stdout);  // an error comes below the listing, also where both go into one file
    base::Result<void> clear = routeros::refuse_collisions(*plan, decisions);
    if (!clear.ok()) return std::move(clear).error();
    return shown;
  }

  // A build without agents can still plan.
  static routeros::ImageSource image(const routeros::Options& options, const routeros::Facts& facts) {
    const base::Result<AgentImage> loaded = load_image(options, facts);
    if (loaded.ok()) return loaded->source;
    const base::Result<routeros::Arch> arch = routeros::choose_arch(facts, options);
    routeros::ImageSource out;
    out.arch = arch.ok() ? std::string(routeros::arch_name(*arch)) : "unknown architecture";
    return out;
  }

  base::Result<base::Exit> show(const routeros::Plan& plan, const std::string& router,
                                const routeros::Decisions* decisions) const {
    if (!rsc_.empty()) {
      base::Result<void> written = base::replace_file(rsc_, routeros::plan_script(plan), 0600);
      if (!written.ok()) return std::move(written).error();
      fmt::print("{}: for RouterOS {}, {} steps\n", rsc_, routeros::format_version(plan.version),
                 plan.steps.size());
      if (!plan.options.token.empty()) {
        fmt::print(
            "  it holds the agent's token: keep it like a password. Reading verbs find the token on the "
            "router, "
            "or take it from MIKROSCOPE_TOKEN\n");
      }
      return base::Exit::ok;
    }
    std::fputs((json_ ? routeros::plan_json(plan, router, decisions)
                      : routeros::plan_listing(plan, router, decisions))
                   .c_str(),
               stdout);
    return base::Exit::ok;
  }

  RouterOptions router_;
  DeployOptions deploy_;
  std::string ros_ = "7.24";
  Origin ros_origin_ = Origin::none;
  std::string rsc_;
  bool json_ = false;
};

constexpr Example kExamples[] = {
    {"plan", "every write of an installation, for RouterOS 7.24 on arm64; touches nothing"},
    {"plan --router admin@192.168.88.1",
     "the same against a router: what is there already, what is in the way"},
    {"plan --ros 7.20 --arch armv5 --rsc agent.rsc", "a script to import by hand"},
};

}  // namespace

const Verb kPlanVerb{
    "plan",
    "list what an installation would write on a router",
    "Nothing is written anywhere. Without --router the plan is made for an assumed router (--ros, --arch).\n"
    "The listing holds every command; the token is not shown, but in a script it has to be.",
    kExamples,
    make_verb<PlanVerb>,
};

}  // namespace mikroscope::cli
