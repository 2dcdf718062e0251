#include "cli/target.h"

#include <fmt/format.h>

#include <cctype>
#include <cstdlib>

#include "base/clock.h"
#include "base/host/duration.h"
#include "base/host/files.h"
#include "base/text.h"

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

void TargetOptions::declare(OptionSet& set) {
  set.add({.names = "--local",
           .group = kGroup,
           .help = "this machine: starts the built-in agent on a free loopback port and stops it at the end"},
          [this](const std::string& text, Origin origin) -> base::Result<void> {
            local_ = text != "0" && text != "false";
            local_origin_ = local_ ? origin : Origin::none;
            return {};
          });
  set.add({.names = "--url",
           .group = kGroup,
           .value = "URL",
           .help = "an agent that listens at http://host:port"},
          [this](const std::string& text, Origin origin) -> base::Result<void> {
            url_ = text;
            url_origin_ = origin;
            return {};
          });
  set.add({.names = "--router",
           .group = kGroup,
           .value = "NAME",
           .help = "a router by the name of its profile (comes with the deploy verbs)"},
          [this](const std::string& text, Origin origin) -> base::Result<void> {
            router_ = text;
            router_origin_ = origin;
            return {};
          });
  set.text({.names = "--token-file",
            .group = kGroup,
            .value = "FILE",
            .help = "file whose first line is the agent's token; MIKROSCOPE_TOKEN holds the token itself"},
           token_file_);
  set.integer({.names = "--rate",
               .group = kGroup,
               .value = "HZ",
               .help = "with --local: samples a second",
               .default_text = "10"},
              rate_, 1, 100);
  set.add({.names = "--buffer",
           .group = kGroup,
           .value = "D",
           .help = "with --local: how much the agent remembers",
           .default_text = "60s"},
          [this](const std::string& text, Origin) -> base::Result<void> {
            const base::Result<std::int64_t> ns = base::parse_duration(text);
            if (!ns.ok()) return ns.error();
            const std::int64_t s = *ns / base::kNsPerSecond;
            if (s < 10 || s > 86'400)
              return usage_error(fmt::format("{} is not between 10s and 24h", text), "");
            buffer_s_ = s;
            return {};
          });
  set.texts({.names = "--agent-env",
             .group = kGroup,
             .value = "K=V",
             .help = "with --local: a setting of the agent, e.g. SOURCES=stat,meminfo; may be repeated"},
            agent_env_);
}

base::Result<void> TargetOptions::check() const {
  const bool on_line = local_origin_ == Origin::command_line || url_origin_ == Origin::command_line ||
                       router_origin_ == Origin::command_line;
  const Origin counts = on_line ? Origin::command_line : Origin::environment;
  const int given = (local_origin_ == counts ? 1 : 0) + (url_origin_ == counts ? 1 : 0) +
                    (router_origin_ == counts ? 1 : 0);
  if (given == 0) {
    return usage_error(
        "no target: give --local (this machine), --url http://host:port (an agent) or --router NAME",
        "add --local to try it on this machine");
  }
  if (given > 1) {
    return usage_error("more than one target: --local, --url and --router exclude each other",
                       "give one of them");
  }
  if (router_origin_ == counts) {
    return usage_error("--router: routers come with the deploy verbs, which this version does not have yet",
                       "use --url http://<router>:9123 with an agent that already runs there");
  }
  if (url_origin_ == counts) {
    if (rate_ || buffer_s_ || !agent_env_.empty()) {
      return usage_error(
          "--rate, --buffer and --agent-env set up the agent of --local; the one at --url runs already",
          "leave them out");
    }
    return check_url(url_);
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

base::Result<std::string> TargetOptions::token() const {
  if (!token_file_.empty()) {
    const base::Result<std::string> text = base::read_text(token_file_);
    if (!text.ok()) {
      base::Error error = text.error();
      error.what = "--token-file: " + error.what;
      error.exit = base::Exit::usage;
      return error;
    }
    const std::string line(base::trim(std::string_view(*text).substr(0, text->find('\n'))));
    if (line.empty())
      return usage_error(fmt::format("--token-file: the first line of {} is empty", token_file_), "");
    return line;
  }
  const char* const token = std::getenv("MIKROSCOPE_TOKEN");
  return std::string(token != nullptr ? token : "");
}

base::Result<Target> TargetOptions::open() const {
  base::Result<void> good = check();
  if (!good.ok()) return std::move(good).error();
  Target out;
  const bool use_url = url_origin_ == Origin::command_line ||
                       (url_origin_ != Origin::none && local_origin_ == Origin::none) ||
                       (url_origin_ > local_origin_);
  if (use_url) {
    base::Result<std::string> secret = token();
    if (!secret.ok()) return std::move(secret).error();
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
