#include "routeros/deploy/step.h"

namespace mikroscope::routeros {
namespace {

void add(const StepInput& in, std::vector<Step>& steps) {
  if (in.options.address_list == "none") return;
  Step step;
  step.family = step.name = "address-list";
  step.title = "the agent's network counts as " + in.options.address_list;
  step.menu = "/ip/firewall/address-list";
  step.attributes = {
      {"list", in.options.address_list}, {"address", in.options.subnet}, {"comment", in.options.tag()}};
  step.identity = {{"list", in.options.address_list}, {"address", in.options.subnet}};
  steps.push_back(std::move(step));
}

}  // namespace

const StepFamily kAddressListFamily{"address-list",
                                    "membership in the address list that raw rules take for the local "
                                    "networks; --addr-list none leaves it out",
                                    add, false, "remove that entry, or join none: --addr-list none"};

}  // namespace mikroscope::routeros
