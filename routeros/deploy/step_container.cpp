#include <fmt/format.h>

#include "routeros/deploy/attributes.h"
#include "routeros/deploy/step.h"
#include "routeros/image.h"

namespace mikroscope::routeros {
namespace {

constexpr std::string_view kMenu = "/container";

// A container does not start where neither the router nor the container itself knows a name server.
bool router_has_dns(const Facts& facts) {
  const Row& dns = facts.settings("/ip/dns");
  return !dns.text("servers").empty() || !dns.text("dynamic-servers").empty();
}

void add_container(const StepInput& in, std::vector<Step>& steps) {
  const Options& o = in.options;
  Step step;
  step.family = step.name = "container";
  step.title = "the agent";
  step.menu = kMenu;
  step.identity = {{"interface", o.veth}};
  // What a version does not know is left out; make_plan() says what that means.
  const auto put = [&](std::string_view name, std::string value) {
    if (supports(in.version, kMenu, name)) step.attributes.push_back({std::string(name), std::move(value)});
  };
  if (!o.container_name.empty()) put("name", o.container_name);
  if (in.image.remote.empty()) {
    put("file", in.names.tar_file);
  } else {
    put("remote-image", in.image.remote);
  }
  put("interface", o.veth);
  put("root-dir", in.names.root_dir);
  put(env_list_attribute(in.version), in.names.env_list);
  // Some versions do not read it from the image ("no command specified").
  put("entrypoint", std::string(kAgentPath));
  put("logging", "yes");
  put("start-on-boot", o.start_on_boot);
  put("restart-policy", "on-failure");
  put("restart-max-count", fmt::format("{}", o.restart_max_count));
  put("restart-interval", o.restart_interval);
  put("auto-restart-interval", o.restart_interval);
  put(supports(in.version, kMenu, "memory-max") ? "memory-max" : "memory-high", o.memory_max);
  if (!router_has_dns(in.facts)) put("dns", o.gateway());
  put("privileged", o.privileged);
  put("ignore-remote-image-change", "yes");
  put("comment", o.tag());
  steps.push_back(std::move(step));
}

void add_start(const StepInput& in, std::vector<Step>& steps) {
  if (!in.start_at_once) return;
  Step step;
  step.family = step.name = "start";
  step.title = "start the agent";
  step.kind = StepKind::start;
  step.menu = kMenu;
  step.identity = {{"comment", in.options.tag()}};
  steps.push_back(std::move(step));
}

}  // namespace

const StepFamily kContainerFamily{"container", "the container that runs the agent", add_container, true,
                                  "choose another --veth, --subnet and --name"};
const StepFamily kStartFamily{"start", "starts it", add_start, true, ""};

}  // namespace mikroscope::routeros
