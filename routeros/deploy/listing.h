// A plan for people and for programs. Secrets are masked in both.
#pragma once

#include <string>

#include "routeros/deploy/decide.h"
#include "routeros/deploy/plan.h"

namespace mikroscope::routeros {

// The console command of a step, as it could be typed; in parentheses what is no command.
std::string step_command(const Step& step, bool mask_secrets);

// `router` names it; empty for a plan without one. `decisions` may be null: nothing was compared.
std::string plan_listing(const Plan& plan, const std::string& router, const Decisions* decisions);
std::string plan_json(const Plan& plan, const std::string& router, const Decisions* decisions);

}  // namespace mikroscope::routeros
