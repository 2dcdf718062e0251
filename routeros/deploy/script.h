// A plan as a RouterOS script, for /import: for routers that nobody but their owner may log in to.
#pragma once

#include <string>

#include "base/host/result.h"
#include "routeros/deploy/plan.h"

namespace mikroscope::routeros {

// One block, so that a guard that fails ends all of it before the first write. The image must have been
// uploaded before. With a token the text is a credential.
std::string plan_script(const Plan& plan);

}  // namespace mikroscope::routeros
