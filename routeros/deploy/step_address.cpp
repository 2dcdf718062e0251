#include "routeros/deploy/step.h"

namespace mikroscope::routeros {
namespace {

void add(const StepInput& in, std::vector<Step>& steps) {
  Step step;
  step.family = step.name = "address";
  step.title = "the router's address towards the agent";
  step.menu = "/ip/address";
  step.attributes = {{"address", in.options.gateway() + "/30"},
                     {"interface", in.options.veth},
                     {"comment", in.options.tag()}};
  step.identity = {{"interface", in.options.veth}};
  step.compared = {"address"};
  steps.push_back(std::move(step));
}

}  // namespace

const StepFamily kAddressFamily{"address",
                                "the router's end of the /30; its route to the agent comes with it", add,
                                false, "remove that address, or choose another --veth"};

}  // namespace mikroscope::routeros
