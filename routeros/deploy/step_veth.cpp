#include "routeros/deploy/step.h"

namespace mikroscope::routeros {
namespace {

void add(const StepInput& in, std::vector<Step>& steps) {
  Step step;
  step.family = step.name = "veth";
  step.title = "interface between the router and the agent";
  step.menu = "/interface/veth";
  step.attributes = {{"name", in.options.veth},
                     {"address", in.options.address() + "/30"},
                     {"gateway", in.options.gateway()},
                     {"comment", in.options.tag()}};
  step.identity = {{"name", in.options.veth}};
  step.compared = {"address", "gateway"};
  steps.push_back(std::move(step));
}

}  // namespace

const StepFamily kVethFamily{"veth", "the virtual Ethernet pair whose far end is the agent's interface", add,
                             false, "choose another name: --veth, and another --subnet"};

}  // namespace mikroscope::routeros
