#include "cli/router_target.h"

#include <fmt/format.h>

#include "cli/agent_shape.h"
#include "cli/relay_link.h"
#include "cli/token_store.h"
#include "routeros/deploy/options.h"

namespace mikroscope::cli {
namespace {

struct Token {
  std::string text;
  bool kept = false;  // on this machine, maybe of an earlier installation
};

base::Result<Token> find_token(const RouterOptions& router, const RouterTargetOptions& options,
                               routeros::Session& session, const AgentShape& shape) {
  if (!options.token.empty() || !shape.token) return Token{options.token, false};
  const base::Result<std::optional<std::string>> kept =
      TokenStore::of_user().find(router.host(), options.installation);
  if (!kept.ok()) return kept.error();
  if (*kept) return Token{**kept, true};
  base::Result<std::string> there = read_router_token(session, shape);
  if (!there.ok()) return std::move(there).error();
  if (!there->empty()) return Token{std::move(*there), false};
  return base::Error{
      fmt::format("the agent of {} wants a token; none is kept here, and the account may not read it on the "
                  "router",
                  router.name()),
      "set MIKROSCOPE_TOKEN or --token-file F, or use an account with the policy sensitive",
      base::Exit::auth};
}

// Takes the first way on which an agent answers.
class Ways {
 public:
  Ways(Target& target, const std::string& token, int stop_fd)
      : target_(target), token_(token), stop_fd_(stop_fd) {}

  bool found() const { return target_.link != nullptr; }
  bool interrupted() const { return interrupted_; }

  void straight(const std::string& transport, const std::string& url) {
    consider(transport, url, make_direct_link(url, token_));
  }
  void relay(const std::string& url) {
    // The session listens to the relay from here on.
    consider("relay", url, make_link(make_relay_transport(*target_.router, url, token_)));
    if (!found()) target_.router->interrupt_on(stop_fd_);
  }

  base::Error error() const { return {fmt::format("no agent answers: {}", tried_), fix_, worst_}; }

 private:
  void consider(const std::string& transport, const std::string& url, std::unique_ptr<AgentLink> link) {
    link->interrupt_on(stop_fd_);
    const base::Result<Health> health = link->health();
    link->interrupt_on(-1);
    if (health.ok()) {
      target_.link = std::move(link);
      target_.transport = transport;
      target_.url = url;
      return;
    }
    interrupted_ = health.error().exit == base::Exit::interrupted;
    tried_ += fmt::format("{}{}: {}", tried_.empty() ? "" : "; ", transport, health.error().what);
    fix_ = health.error().fix;
    worst_ = health.error().exit;
  }

  Target& target_;
  const std::string& token_;
  int stop_fd_;
  bool interrupted_ = false;
  std::string tried_;
  std::string fix_;
  base::Exit worst_ = base::Exit::failed;
};

// Sets link, transport and url.
base::Result<void> reach(Target& out, const AgentShape& shape, const RouterTargetOptions& options,
                         const std::string& token, int stop_fd) {
  const bool any = options.transport == "auto";
  const std::string exposed = shape.exposed_url();
  if (options.transport == "exposed" && exposed.empty()) {
    return base::Error{
        fmt::format("the installation {} on {} is not exposed", options.installation, out.router_name),
        "--transport relay, or install it with --expose", base::Exit::no_data};
  }
  Ways ways(out, token, stop_fd);
  const auto go_on = [&ways] { return !ways.found() && !ways.interrupted(); };
  if (any || options.transport == "direct") ways.straight("direct", shape.url());
  if (go_on() && !exposed.empty() && (any || options.transport == "exposed"))
    ways.straight("exposed", exposed);
  if (go_on() && (any || options.transport == "relay")) ways.relay(shape.url());
  return ways.found() ? base::Result<void>() : ways.error();
}

}  // namespace

void RouterTargetOptions::declare(OptionSet& set) {
  set.text({.names = "--transport",
            .group = "Target",
            .value = "WAY",
            .help = "with --router: how samples come: straight from the agent's address, through the exposed "
                    "one, or fetched by the router itself; auto takes the first that works",
            .choices = "auto,direct,exposed,relay",
            .default_text = "auto"},
           transport);
  set.text({.names = "--name",
            .group = "Target",
            .value = "NAME",
            .help = "with --router: which installation",
            .default_text = "mikroscope"},
           installation);
}

base::Result<void> RouterTargetOptions::check() const {
  const routeros::OptionDef* const name = routeros::find_option("name");
  if (name == nullptr) return {};
  routeros::Options scratch = routeros::default_options();
  base::Result<void> good = name->set(scratch, installation);
  if (good.ok()) return good;
  base::Error error = std::move(good).error();
  error.what = "--name: " + error.what;
  return error;
}

base::Result<Target> open_router_target(const RouterOptions& router, const RouterTargetOptions& options,
                                        int stop_fd) {
  base::Result<std::unique_ptr<routeros::Session>> session = router.connect(stop_fd);
  if (!session.ok()) return std::move(session).error();
  return open_router_target(router, std::move(*session), options, stop_fd);
}

base::Result<Target> open_router_target(const RouterOptions& router,
                                        std::unique_ptr<routeros::Session> session,
                                        const RouterTargetOptions& options, int stop_fd) {
  Target out;
  out.kind = "router";
  out.router_name = router.name();
  out.code_page = router.code_page();
  out.router = std::make_unique<RouterConnection>(std::move(session),
                                                  [&router](int fd) { return router.connect(fd); });
  out.router->interrupt_on(stop_fd);
  const base::Result<routeros::Session*> open = out.router->session();
  if (!open.ok()) return open.error();
  base::Result<AgentShape> shape = read_agent_shape(**open, options.installation);
  if (!shape.ok()) return std::move(shape).error();
  base::Result<RouterFacts> facts = read_router_facts(**open, router.code_page());
  if (!facts.ok()) return std::move(facts).error();
  const base::Result<Token> token = find_token(router, options, **open, *shape);
  if (!token.ok()) return token.error();
  out.facts = std::move(*facts);
  base::Result<void> reached = reach(out, *shape, options, token->text, stop_fd);
  if (!reached.ok()) return std::move(reached).error();
  if (!token->kept || out.link->check_token().ok()) return out;
  // Another machine may have installed the agent anew: then the router has the right one.
  const base::Result<routeros::Session*> still = out.router->session();  // the relay may have lost the first
  if (!still.ok()) return still.error();
  const base::Result<std::string> there = read_router_token(**still, *shape);
  if (!there.ok() || there->empty() || *there == token->text) return out;
  out.link.reset();
  out.router->interrupt_on(stop_fd);
  reached = reach(out, *shape, options, *there, stop_fd);
  if (!reached.ok()) return std::move(reached).error();
  return out;
}

}  // namespace mikroscope::cli
