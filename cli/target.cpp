#include "cli/target.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/clock.h"
#include "base/host/duration.h"
#include "base/text.h"
#include "cli/router_target.h"
#include "cli/token_store.h"

namespace mikroscope::cli {
namespace {

constexpr std::string_view kGroup = "Target";

base::Error usage_error(std::string what, std::string fix) {
  return {std::move(what), std::move(fix), base::Exit::usage};
}

base::Result<void> check_url(const std::string& url) {
  const std::string_view text(url);
  const std::size_t scheme = text.starts_with("http://") ? 7 : text.starts_with("https://") ? 8 : 0;
  const bool plain = scheme != 0 && text.size() > scheme &&
                     text.find_first_of("/?# ", scheme) >= text.size() - 1 &&
                     text.find('@') == std::string_view::npos;
  if (plain) return {};
  return usage_error(fmt::format("--url: \"{}\" is not the address of an agent", url),
                     "write it like --url http://192.168.88.1:9123");
}

}  // namespace

std::string Target::flags() const {
  if (kind == "router") return "--router " + router_name;
  return kind == "local" ? "--local" : "--url " + url;
}

TargetOptions::TargetOptions() : on_router_(std::make_unique<RouterTargetOptions>()) {}
TargetOptions::~TargetOptions() = default;

void TargetOptions::declare(OptionSet& set) {
  set.add({.names = "--local",
           .group = kGroup,
           .help = "this machine: starts the built-in agent on a free loopback port and stops it at the end",
           .role = ProfileRole::replaces},
          [this](const std::string& text, Origin origin) -> base::Result<void> {
            local_ = text != "0" && text != "false";
            local_origin_ = local_ ? origin : Origin::none;
            return {};
          });
  set.add({.names = "--url",
           .group = kGroup,
           .value = "URL",
           .help = "an agent that listens at http://host:port",
           .role = ProfileRole::replaces},
          [this](const std::string& text, Origin origin) -> base::Result<void> {
            url_ = text;
            url_origin_ = origin;
            return {};
          });
  router_.declare(set, RouterHelp::brief);
  on_router_->declare(set);
  set.text({.names = "token",
            .group = kGroup,
            .help = "the agent's token; also a key of a profile, never a flag",
            .sources = Sources::no_flag,
            .secret = true},
           token_, &token_origin_);
  set.text({.names = "--token-file",
            .group = kGroup,
            .value = "FILE",
            .help = "file whose first line is the agent's token"},
           token_file_, &token_file_origin_);
  set.integer({.names = "--rate",
               .group = kGroup,
               .value = "HZ",
               .help = "with --local: samples a second",
               .default_text = "10"},
              rate_, 1, 100, &rate_origin_);
  set.add({.names = "--buffer",
           .group = kGroup,
           .value = "D",
           .help = "with --local: how much the agent remembers",
           .default_text = "60s"},
          [this](const std::string& text, Origin origin) -> base::Result<void> {
            const base::Result<std::int64_t> ns = base::parse_duration(text);
            if (!ns.ok()) return ns.error();
            const std::int64_t s = *ns / base::kNsPerSecond;
            if (s < 10 || s > 86'400)
              return usage_error(fmt::format("{} is not between 10s and 24h", text), "");
            buffer_s_ = s;
            buffer_origin_ = origin;
            return {};
          });
  set.texts({.names = "--agent-env",
             .group = kGroup,
             .value = "K=V",
             .help = "with --local: a setting of the agent, e.g. SOURCES=stat,meminfo; may be repeated"},
            agent_env_, &agent_env_origin_);
}

base::Result<void> TargetOptions::check() const {
  const Origin counts = deciding();
  const auto here = [counts](Origin origin) { return origin != Origin::none && origin == counts ? 1 : 0; };
  const int given = here(local_origin_) + here(url_origin_) + here(router_.origin());
  if (given == 0) {
    return usage_error(
        "no target: give --local (this machine), --url http://host:port (an agent) or --router NAME",
        "add --local to try it on this machine");
  }
  if (given > 1) {
    return usage_error("more than one target: --local, --url and --router exclude each other",
                       "give one of them");
  }
  if (local_origin_ != counts) {
    // A profile may hold `rate` for install; only who types it here has mixed something up.
    if (std::max({rate_origin_, buffer_origin_, agent_env_origin_}) == Origin::command_line) {
      return usage_error(
          "--rate, --buffer and --agent-env set up the agent of --local; this one runs already",
          "leave them out");
    }
    if (url_origin_ == counts) return check_url(url_);
    base::Result<void> good = router_.check();
    return good.ok() ? on_router_->check() : good;
  }
  for (const std::string& pair : agent_env_) {
    const std::size_t equals = pair.find('=');
    if (equals == std::string::npos || equals == 0) {
      return usage_error(fmt::format("--agent-env: \"{}\" is not NAME=VALUE", pair),
                         "--agent-env SOURCES=stat,meminfo");
    }
  }
  return {};
}

Origin TargetOptions::deciding() const {
  return std::max({local_origin_, url_origin_, router_.origin()});
}

bool TargetOptions::is_router() const {
  return router_.given() && router_.origin() == deciding();
}

// The nearer origin wins; of two from the same place the file does.
base::Result<std::string> TargetOptions::token() const {
  if (token_file_origin_ == Origin::none || token_file_origin_ < token_origin_) return token_;
  base::Result<std::string> line = read_secret_file(token_file_, "--token-file");
  if (!line.ok()) return line;
  return std::string(base::trim(*line));
}

base::Result<Target> TargetOptions::open(int stop_fd) const {
  base::Result<void> good = check();
  if (!good.ok()) return std::move(good).error();
  Target out;
  const Origin counts = deciding();
  if (local_origin_ != counts) {
    base::Result<std::string> secret = token();
    if (!secret.ok()) return std::move(secret).error();
    if (is_router()) {
      RouterTargetOptions options = *on_router_;
      options.token = std::move(*secret);
      return open_router_target(router_, options, stop_fd);
    }
    out.kind = "url";
    out.url = url_;
    out.link = make_direct_link(url_, *secret);
    return out;
  }
  LocalAgentOptions options;
  options.rate_hz = static_cast<std::uint32_t>(rate_.value_or(10));
  options.buffer_s = static_cast<std::uint32_t>(buffer_s_.value_or(60));
  for (const std::string& pair : agent_env_) {
    const std::size_t equals = pair.find('=');
    options.env.emplace_back(pair.substr(0, equals), pair.substr(equals + 1));
  }
  base::Result<std::unique_ptr<LocalAgent>> agent = LocalAgent::start(options);
  if (!agent.ok()) return std::move(agent).error();
  out.kind = "local";
  out.local = std::move(*agent);
  out.url = out.local->url();
  out.link = make_direct_link(out.url, out.local->token());
  return out;
}

}  // namespace mikroscope::cli
