// What an installation will do, as a pure function of what the router is and what is wanted.
#pragma once

#include <string>
#include <vector>

#include "base/host/result.h"
#include "routeros/deploy/attributes.h"
#include "routeros/deploy/facts.h"
#include "routeros/deploy/options.h"
#include "routeros/deploy/step.h"
#include "routeros/image.h"

namespace mikroscope::routeros {

struct Plan {
  Options options;  // resolved
  Version version;
  bool assumed = false;  // made from assumed facts: the router may be another
  StepNames names;
  ImageSource image;
  std::vector<Step> steps;         // in the order of the writes; the manifest first
  std::vector<std::string> notes;  // what the user should know before saying yes, one sentence each

  const Step* find(std::string_view step_name) const;
};

// The agent for the router: --arch, or what the router reports.
base::Result<Arch> choose_arch(const Facts& facts, const Options& options);

// `options` is settled (options.h). `start_at_once` false: the new container of an upgrade.
base::Result<Plan> make_plan(const Facts& facts, const Options& options, const ImageSource& image,
                             Slot slot = Slot::a, bool start_at_once = true);

}  // namespace mikroscope::routeros
