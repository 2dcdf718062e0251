// What stands where the installation wants to put something, as the installation itself decides it.

#include <fmt/format.h>

#include <algorithm>

#include "routeros/checks/support.h"
#include "routeros/deploy/attributes.h"
#include "routeros/deploy/decide.h"
#include "routeros/deploy/shape.h"
#include "routeros/session/text.h"

namespace mikroscope::routeros {
namespace {

constexpr std::size_t kCut = 12;

// The plan's steps of these families: free, ours, or somebody else's.
Finding standing_of(const Facts& facts, const Options& options,
                    std::initializer_list<std::string_view> families, std::string free) {
  ImageSource image;
  image.remote = options.remote_image;
  const base::Result<Plan> plan = make_plan(facts, options, image, read_shape(facts, options).slot);
  if (!plan.ok()) return skip(plan.error().what);
  const Decisions decisions = decide(*plan, facts);
  bool ours = false;
  std::vector<std::string> foreign;
  std::string fix;
  std::optional<Finding> hidden;
  for (std::size_t i = 0; i < plan->steps.size(); ++i) {
    const Step& step = plan->steps[i];
    if (std::find(families.begin(), families.end(), step.family) == families.end()) continue;
    if (!hidden) hidden = unreadable(facts, {step.menu});
    const Decision& decision = decisions.steps[i];
    if (decision.standing == Standing::foreign) {
      // Several entries of one list, or an address on one interface, are one thing in the way.
      if (std::find(foreign.begin(), foreign.end(), decision.evidence) == foreign.end())
        foreign.push_back(decision.evidence);
      if (fix.empty()) fix = way_out(step, decision);
    }
    ours |= decision.standing == Standing::ours || decision.standing == Standing::differs ||
            decision.standing == Standing::leftover;
  }
  if (foreign.empty() && hidden) return *hidden;
  if (foreign.empty()) return ok(ours ? "ours" : std::move(free));
  return missing(fmt::format("taken by somebody else: {}", enumerate(foreign)), std::move(fix));
}

Finding run_veth(const Facts& facts, const Options& options) {
  return standing_of(facts, options, {"veth", "address", "container"},
                     fmt::format("{} is free", options.veth));
}

Finding run_veth_name(const Facts&, const Options& options) {
  if (options.veth.size() <= kCut) return ok(options.veth);
  return warn(fmt::format("{} has {} characters", options.veth, options.veth.size()),
              fmt::format("--veth with a name of at most {}", kCut));
}

Finding run_environment(const Facts& facts, const Options& options) {
  return standing_of(facts, options, {"environment"}, fmt::format("{} is free", options.env_list()));
}

Finding run_files(const Facts& facts, const Options& options) {
  return standing_of(facts, options, {"manifest", "upload"},
                     fmt::format("{} and {} are free", options.manifest_file(), options.tar_file()));
}

Finding run_container_name(const Facts& facts, const Options& options) {
  if (options.container_name.empty()) return skip("RouterOS names the container");
  if (std::optional<Finding> hidden = unreadable(facts, {"/container"})) return *hidden;
  const std::optional<Version> version = facts.version();
  if (version && !supports(*version, "/container", "name")) {
    return missing(fmt::format("RouterOS {} cannot name containers", format_version(*version)),
                   "leave out --container-name");
  }
  bool ours = false;
  for (const Row& row : *facts.rows("/container")) {
    if (row.text("name") != options.container_name) continue;
    if (row.text("comment") != options.tag()) {
      return missing(fmt::format("there is another container {}", options.container_name),
                     "choose another --container-name, or leave it out");
    }
    ours = true;
  }
  return ok(ours ? "ours" : fmt::format("{} is free", options.container_name));
}

}  // namespace

const Check kVethCheck{"veth", "the agent's interface is free or ours",
                       "/interface/veth, /ip/address, /container",
                       "An interface of that name, an address on it or a container behind it that carries "
                       "another comment belongs to somebody else, and is never touched.",
                       run_veth};
const Check kVethNameCheck{
    "veth-name", "the interface's name stays whole inside the container", "",
    "From 7.20 the container's interface has the veth's name, cut off after 14 or 15 "
    "characters. The agent does not depend on it, but logs and other programs show it.",
    run_veth_name};
const Check kEnvironmentCheck{"environment", "the environment list is free or ours", "/container/envs",
                              "Entries have no owner, so one of them marks the whole list as ours. A list "
                              "without it is somebody else's.",
                              run_environment};
const Check kFilesCheck{
    "files", "the names of our files are free or ours", "/file, /container/envs",
    "Files have no comment: the manifest says which installation it belongs to, and speaks "
    "for the image.",
    run_files};
const Check kContainerNameCheck{"container-name", "the container's name is free or ours", "/container",
                                "Only with --container-name: RouterOS refuses two containers of one name.",
                                run_container_name};

}  // namespace mikroscope::routeros
