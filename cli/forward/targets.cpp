#include "cli/forward/targets.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "cli/forward/host_name.h"

namespace mikroscope::cli {
namespace {

base::Error usage(std::string what, std::string fix) {
  return {std::move(what), std::move(fix), base::Exit::usage};
}

// http://10.0.0.2:9123 is 10.0.0.2; with a port of its own, so that two agents of one machine differ.
std::string host_of_url(const std::string& url) {
  const std::size_t start = url.find("://");
  std::string host = url.substr(start == std::string::npos ? 0 : start + 3);
  host = host.substr(0, host.find_first_of("/?#"));
  if (host.ends_with(":9123")) host.resize(host.size() - 5);
  return host;
}

// NAME=http://… or http://….
std::pair<std::string, std::string> name_and_url(const std::string& text) {
  const std::size_t equals = text.find('=');
  const std::size_t scheme = text.find("://");
  if (equals == std::string::npos || (scheme != std::string::npos && scheme < equals))
    return {host_of_url(text), text};
  return {text.substr(0, equals), text.substr(equals + 1)};
}

std::string host_of_router(const std::string& router) {
  const std::size_t at = router.rfind('@');
  return at == std::string::npos ? router : router.substr(at + 1);
}

// Settings of one router, applied by hand.
class Collect final : public OptionSet {
 public:
  void add(const OptionSpec& spec, Apply apply) override {
    std::string name(
        spec.names.substr(spec.names.rfind("--") == std::string_view::npos ? 0 : spec.names.rfind("--") + 2));
    settings_.push_back({std::move(name), std::move(apply)});
  }
  struct Setting {
    std::string name;
    Apply apply;
  };
  const std::vector<Setting>& settings() const { return settings_; }

 private:
  std::vector<Setting> settings_;
};

}  // namespace

// Passes options on to the parser and keeps what is given for them, for every router.
class ForwardTargets::Capture final : public OptionSet {
 public:
  Capture(ForwardTargets& of, OptionSet& to) : of_(of), to_(to) {}

  void add(const OptionSpec& spec, Apply) override {
    const std::size_t dashes = spec.names.rfind("--");
    const std::string name(spec.names.substr(dashes == std::string_view::npos ? 0 : dashes + 2));
    if (name == "local" || name == "url" || name == "router") return;  // declared by us, for many
    of_.options_.push_back({name, {}});
    Option* const option = &of_.options_.back();
    OptionSpec passed = spec;
    passed.role = ProfileRole::none;
    to_.add(passed, [option](const std::string& text, Origin origin) -> base::Result<void> {
      option->given.push_back({text, origin});
      return {};
    });
  }

 private:
  ForwardTargets& of_;
  OptionSet& to_;
};

ForwardTargets::ForwardTargets(MakePerRouter make_per_router)
    : make_per_router_(std::move(make_per_router)),
      prototype_(std::make_unique<TargetOptions>()),
      own_prototype_(make_per_router_()) {}
ForwardTargets::~ForwardTargets() = default;

void ForwardTargets::declare(OptionSet& set) {
  set.flag(
      {.names = "--local",
       .group = "Target",
       .help = "this machine: starts the built-in agent on a free loopback port and stops it at the end"},
      local_);
  const auto many = [&](std::string_view names, std::string_view value, std::string_view help,
                        std::vector<Given>& to) {
    set.add({.names = names, .group = "Target", .value = value, .help = help, .many = true},
            [&to](const std::string& text, Origin origin) -> base::Result<void> {
              to.push_back({text, origin});
              return {};
            });
  };
  many("--url", "[NAME=]URL", "an agent that listens at http://host:port; may be repeated", urls_);
  many("--router", "R", "a router: a profile of the configuration file, user@host or host; may be repeated",
       routers_);
  set.flag(
      {.names = "--all-routers", .group = "Target", .help = "every [router.NAME] of the configuration file"},
      all_routers_);
  set.text({.names = "--host-tag",
            .group = "Target",
            .value = "NAME",
            .help = "the tag `host` of what is stored; for one target only",
            .default_text = "the profile's name, or the host"},
           host_tag_);
  Capture capture(*this, set);
  prototype_->declare(capture);
  own_prototype_->declare(capture);
}

base::Result<ForwardTarget> ForwardTargets::make(const std::string& host, const std::string& flag,
                                                 const std::string& value,
                                                 const ConfigEntries* profile) const {
  ForwardTarget target{host, std::make_unique<TargetOptions>(), make_per_router_()};
  Collect set;
  target.options->declare(set);
  target.own->declare(set);
  for (const Collect::Setting& setting : set.settings()) {
    if (setting.name == flag) {
      if (auto done = setting.apply(value, Origin::command_line); !done.ok()) return done.error();
      continue;
    }
    std::vector<Given> given;
    for (const Option& option : options_) {
      if (option.name == setting.name) given = option.given;
    }
    const bool nearer = !given.empty() && given.front().origin > Origin::profile;
    if (profile != nullptr && !nearer) {
      for (const ConfigEntry& entry : *profile) {
        if (entry.key != setting.name) continue;
        given.clear();
        for (const std::string& text : entry.values) given.push_back({text, Origin::profile});
      }
    }
    for (const Given& one : given) {
      if (auto done = setting.apply(one.text, one.origin); !done.ok()) {
        base::Error error = done.error();
        error.what = fmt::format("{} of {}: {}", setting.name, host, error.what);
        return error;
      }
    }
  }
  if (auto good = target.options->check(); !good.ok()) return good.error();
  if (auto good = target.own->check(); !good.ok()) return good.error();
  return target;
}

base::Result<std::vector<ForwardTarget>> ForwardTargets::targets(const ConfigFile& config) const {
  std::vector<ForwardTarget> all;
  std::set<std::string> hosts;
  const auto add = [&](const std::string& host, const std::string& flag, const std::string& value,
                       const ConfigEntries* profile) -> base::Result<void> {
    if (!hosts.insert(host).second)
      return usage(fmt::format("two targets are called {}", host),
                   "give each a name: --url NAME=http://…, or a profile");
    auto target = make(host, flag, value, profile);
    if (!target.ok()) return target.error();
    all.push_back(std::move(*target));
    return {};
  };
  const std::size_t count = urls_.size() + routers_.size() + (local_ ? 1 : 0);
  if (!host_tag_.empty() && (count != 1 || all_routers_))
    return usage("--host-tag names one target, and there are several",
                 "name them: --url NAME=http://…, or profiles");
  const auto tag = [&](const std::string& otherwise) { return host_tag_.empty() ? otherwise : host_tag_; };

  base::Result<void> done;
  if (local_) done = add(tag(host_name("local")), "local", "true", nullptr);
  for (const Given& given : urls_) {
    const auto [name, url] = name_and_url(given.text);
    if (done.ok()) done = add(tag(name), "url", url, nullptr);
  }
  for (const Given& given : routers_) {
    if (done.ok())
      done = add(tag(host_of_router(given.text)), "router", given.text, config.router(given.text));
  }
  if (all_routers_) {
    if (config.router_names().empty())
      return usage("--all-routers: the configuration file has no [router.NAME]", "see docs/configuration.md");
    for (const std::string& name : config.router_names()) {
      if (done.ok() && hosts.count(name) == 0) done = add(name, "router", name, config.router(name));
    }
  }
  if (!done.ok()) return done.error();
  if (all.empty())
    return usage(
        "no target: give --local (this machine), --url http://host:port (an agent), --router NAME or "
        "--all-routers",
        "add --local to try it on this machine");
  return all;
}

}  // namespace mikroscope::cli
