#include "routeros/deploy/plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "routeros/deploy/manifest.h"

namespace mikroscope::routeros {
namespace {

constexpr std::string_view kContainer = "/container";
// Interfaces have at most 15 characters inside the container; some versions cut to 12.
constexpr std::size_t kVethShown = 12;

base::Result<Version> usable_version(const Facts& facts) {
  const std::optional<Version> version = facts.version();
  if (!version) {
    return base::Error{"the router did not say which RouterOS it runs",
                       "the account needs the policy read; without a router: plan --ros 7.24"};
  }
  if (*version < kOldestVersion) {
    return base::Error{
        fmt::format("RouterOS {} has no containers that mikroscope can use", format_version(*version)),
        fmt::format("upgrade it, at least to {}, better to {}", format_version(kOldestVersion),
                    format_version(kPrivilegedVersion))};
  }
  return *version;
}

base::Result<void> resolve(const Version& version, Options& o) {
  if (o.privileged == "yes" && !supports(version, kContainer, "privileged")) {
    return base::Error{fmt::format("--privileged yes needs RouterOS {} or newer; this is {}",
                                   format_version(kPrivilegedVersion), format_version(version)),
                       "leave it out: the agent then reads what an ordinary container may",
                       base::Exit::usage};
  }
  o.privileged = wants_privileged(o, version) ? "yes" : "no";
  o.start_on_boot = o.starts_on_boot() ? "yes" : "no";
  if (!o.container_name.empty() && !supports(version, kContainer, "name")) {
    return base::Error{
        fmt::format("--container-name: RouterOS {} cannot name containers", format_version(version)),
        "leave it out", base::Exit::usage};
  }
  return {};
}

std::vector<std::string> notes_on(const Plan& plan) {
  const Options& o = plan.options;
  const std::string version = format_version(plan.version);
  std::vector<std::string> notes;
  const auto lacks = [&plan](std::string_view attribute) {
    return !supports(plan.version, kContainer, attribute);
  };
  if (plan.version < kFullVersion) {
    notes.push_back(fmt::format("RouterOS {} is older than {}, the oldest that is fully supported", version,
                                format_version(kFullVersion)));
  }
  if (lacks("memory-max") && lacks("memory-high")) {
    notes.push_back(fmt::format("RouterOS {} cannot limit a container's memory: {} is not applied", version,
                                o.memory_max));
  } else if (lacks("memory-max")) {
    notes.push_back(
        fmt::format("RouterOS {} slows a container down at {} instead of ending it", version, o.memory_max));
  }
  if (lacks("restart-policy") && lacks("auto-restart-interval")) {
    notes.push_back(fmt::format("RouterOS {} does not restart a container that fails", version));
  } else if (lacks("restart-policy")) {
    notes.push_back(fmt::format("RouterOS {} restarts a failed container every {} without end", version,
                                o.restart_interval));
  }
  if (plan.image.remote.empty() && lacks("ignore-remote-image-change")) {
    notes.push_back(
        fmt::format("the image's file {} stays on the router: RouterOS {} would remove the container with it",
                    plan.names.tar_file, version));
  }
  if (o.privileged == "yes") {
    notes.push_back(
        "privileged: root in the container is root of the router, which makes the kernel log, slab and flash "
        "counters readable; --privileged no keeps it apart and does without them");
  }
  if (o.veth.size() > kVethShown) {
    notes.push_back(
        fmt::format("the name {} may be cut to {} characters inside the container; the agent does "
                    "not depend on it",
                    o.veth, kVethShown));
  }
  if (o.ephemeral && o.start_on_boot == "yes") {
    notes.push_back(
        "start-on-boot yes with an ephemeral installation: after a reboot there is nothing to start");
  }
  if (o.token.empty()) {
    notes.push_back("no token: whoever reaches the agent can read it");
  }
  return notes;
}

Step manifest_step(const Options& options, const StepNames& names, const std::vector<Step>& steps) {
  Step step;
  step.family = step.name = "manifest";
  step.title = "the record of this installation, written first and removed last";
  step.kind = StepKind::text_file;
  step.menu = "/file";
  step.attributes = {{"name", options.manifest_file()}, {"contents", write_manifest(options, names, steps)}};
  step.identity = {{"name", options.manifest_file()}};
  step.owner = Owner::contents;
  step.compared = {"contents"};
  return step;
}

}  // namespace

const Step* Plan::find(std::string_view step_name) const {
  const auto found =
      std::find_if(steps.begin(), steps.end(), [&](const Step& step) { return step.name == step_name; });
  return found == steps.end() ? nullptr : &*found;
}

base::Result<Arch> choose_arch(const Facts& facts, const Options& options) {
  if (options.arch != "auto") return parse_arch(options.arch);
  const std::string_view reported = facts.architecture();
  if (reported.empty()) {
    return base::Error{"the router did not say which architecture it has", "give it: --arch arm64"};
  }
  base::Result<Arch> arch = parse_arch(reported);
  if (!arch.ok()) {
    return base::Error{fmt::format("there is no agent for routers of the architecture \"{}\"", reported),
                       "RouterOS has containers on arm, arm64 and x86 only"};
  }
  return arch;
}

base::Result<Plan> make_plan(const Facts& facts, const Options& options, const ImageSource& image, Slot slot,
                             bool start_at_once) {
  const base::Result<Version> version = usable_version(facts);
  if (!version.ok()) return version.error();
  Plan plan;
  plan.options = options;
  plan.version = *version;
  plan.assumed = facts.assumed;
  base::Result<void> resolved = resolve(plan.version, plan.options);
  if (!resolved.ok()) return std::move(resolved).error();
  plan.names = step_names(plan.options, slot);
  plan.image = image;
  const StepInput input{facts, plan.options, plan.names, plan.version, plan.image, start_at_once};
  for (const StepFamily* family : all_step_families()) family->add(input, plan.steps);
  plan.steps.insert(plan.steps.begin(), manifest_step(plan.options, plan.names, plan.steps));
  plan.notes = notes_on(plan);
  return plan;
}

}  // namespace mikroscope::routeros
