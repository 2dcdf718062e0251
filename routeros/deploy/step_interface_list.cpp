#include "routeros/deploy/step.h"

namespace mikroscope::routeros {
namespace {

void add(const StepInput& in, std::vector<Step>& steps) {
  if (in.options.interface_list == "none") return;
  Step step;
  step.family = step.name = "interface-list";
  step.title = "the agent's interface counts as " + in.options.interface_list;
  step.menu = "/interface/list/member";
  step.attributes = {
      {"list", in.options.interface_list}, {"interface", in.options.veth}, {"comment", in.options.tag()}};
  step.identity = {{"list", in.options.interface_list}, {"interface", in.options.veth}};
  steps.push_back(std::move(step));
}

}  // namespace

const StepFamily kInterfaceListFamily{
    "interface-list",
    "membership in the list that firewall rules let through; --iface-list none leaves it out", add, false,
    "remove that entry, or join none: --iface-list none"};

}  // namespace mikroscope::routeros
