#include "cli/deploy_prepare.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <cstdio>

#include "base/clock.h"
#include "cli/token_store.h"
#include "routeros/deploy/finding.h"
#include "routeros/deploy/gather.h"
#include "routeros/deploy/token.h"
#include "routeros/session/text.h"

namespace mikroscope::cli {
namespace {

bool is_ipv4(const std::string& text) {
  in_addr parsed{};
  return inet_pton(AF_INET, text.c_str(), &parsed) == 1;
}

// The exposed address is the one that the router is reached at, unless another one is given.
void fill_lan_address(routeros::Options& options, const RouterOptions& router) {
  if (options.expose && options.lan_address.empty() && router.given() && is_ipv4(router.host()))
    options.lan_address = router.host();
}

}  // namespace

base::Result<void> check_deploy(const DeployOptions& deploy, const RouterOptions& router) {
  routeros::Options options = deploy.options();
  fill_lan_address(options, router);
  return routeros::settle(options);
}

base::Result<OnRouter> read_router(const DeployOptions& deploy, const RouterOptions& router,
                                   const StopSignals& signals) {
  OnRouter out;
  base::Result<void> good = router.check();
  if (!good.ok()) return std::move(good).error();
  base::Result<std::unique_ptr<routeros::Session>> session = router.connect(signals.fd());
  if (!session.ok()) return std::move(session).error();
  out.session = std::move(*session);
  SignalPace pace(signals);
  routeros::GatherOptions gathering;
  gathering.pause = [&pace](std::int64_t milliseconds) { return pace.wait_ns(milliseconds * 1'000'000); };
  routeros::Answer<routeros::Facts> facts = routeros::gather(*out.session, gathering);
  if (!facts.ok()) return routeros::to_error(facts.error(), out.session->router());
  out.facts = std::move(*facts);
  out.shape = routeros::read_shape(out.facts, deploy.options());
  base::Result<routeros::Options> merged =
      routeros::merge_options(out.shape, deploy.options(), deploy.given());
  if (!merged.ok()) return std::move(merged).error();
  out.options = std::move(*merged);
  fill_lan_address(out.options, router);
  base::Result<void> settled = routeros::settle(out.options);
  if (!settled.ok()) return std::move(settled).error();
  return out;
}

base::Result<void> choose_token(const TokenChoice& choice, const RouterOptions& router, OnRouter& on) {
  if (on.options.no_token) return {};
  if (!choice.file.empty()) {
    base::Result<std::string> given = read_secret_file(choice.file, "--token-file");
    if (!given.ok()) return std::move(given).error();
    if (!routeros::good_token(*given)) {
      return base::Error{"--token-file: the token in it is not one of 16 to 128 of A-Z a-z 0-9 . _ -",
                         "leave it out: a token is made then", base::Exit::usage};
    }
    on.options.token = std::move(*given);
    return {};
  }
  if (!choice.make_new) {
    base::Result<std::optional<std::string>> known = known_token(router, on.facts, on.shape);
    if (!known.ok()) return std::move(known).error();
    if (*known) {
      on.options.token = std::move(**known);
      return {};
    }
    const bool runs = !routeros::tagged_rows(on.facts, "/container", on.options.tag()).empty();
    if (on.shape.token && runs) {
      return base::Error{
          fmt::format("the agent \"{}\" has a token that is not kept on this machine, and the account may "
                      "not read it "
                      "on the router",
                      on.options.name),
          "give it with --token-file F, use an account with the policy sensitive, or make a new one with "
          "`mikroscope upgrade --new-token`",
          base::Exit::auth};
    }
  }
  base::Result<std::string> made = routeros::make_token();
  if (!made.ok()) return std::move(made).error();
  on.options.token = std::move(*made);
  return {};
}

base::Result<void> run_doctor(const routeros::Facts& facts, const routeros::Options& options, bool quiet) {
  int missing = 0;
  for (const routeros::Check* check : routeros::all_checks()) {
    const routeros::Finding finding = check->run(facts, options);
    const bool is_missing = finding.level == routeros::Level::missing;
    missing += is_missing ? 1 : 0;
    if (!is_missing && (quiet || finding.level != routeros::Level::warn)) continue;
    fmt::print("{} {} ({})\n", is_missing ? "MISSING" : "WARN   ", check->title,
               routeros::printable(finding.evidence));
    if (!finding.fix.empty()) fmt::print("        fix: {}\n", finding.fix);
  }
  if (missing == 0) return {};
  return base::Error{fmt::format("{} prerequisite(s) are missing; nothing was written", missing),
                     "mend them, or go on without the checks: --no-doctor"};
}

}  // namespace mikroscope::cli
