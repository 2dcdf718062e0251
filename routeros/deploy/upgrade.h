// Replaces an installed agent: the new container is made and unpacked beside the old one, which runs on
// meanwhile; then they change places, and the old one comes back if the new one does not answer.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/host/result.h"
#include "routeros/deploy/apply.h"
#include "routeros/deploy/manifest.h"
#include "routeros/deploy/plan.h"
#include "routeros/deploy/probe.h"

namespace mikroscope::routeros {

// Which container is the installed one, of all that carry the tag, and in which slot the new one will be.
struct Occupied {
  Row old;  // the running one; else the manifest's; empty (no id): there is none
  Slot old_slot = Slot::a;
  std::vector<Row> leftovers;  // of an upgrade that was cut short
  std::optional<Manifest> record;
};
Occupied find_occupied(const Facts& facts, const Options& options, Slot recorded);

// The plan of an upgrade: that of an installation in the other slot, not started. Until the new agent has
// answered it does not start with the router, so that a reboot brings up the old one.
base::Result<Plan> make_upgrade_plan(const Facts& facts, const Options& options, const ImageSource& image,
                                     const Occupied& occupied);
std::string upgrade_listing(const Plan& plan, const Decisions& decisions, const Occupied& occupied,
                            const std::string& router);

using Probing = std::function<base::Result<ProbeResult>()>;

struct UpgradeResult {
  ProbeResult probe;
  bool beside = true;  // false: the router wanted the old one gone before it took the new one
};
// Error: what failed and which agent runs now. A run that was cut short is gone on with by the same call.
base::Result<UpgradeResult> upgrade(const Plan& plan, const Decisions& decisions, const Occupied& occupied,
                                    Applying& applying, const Probing& probing);

}  // namespace mikroscope::routeros
