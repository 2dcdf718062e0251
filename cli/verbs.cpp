#include "cli/verb.h"

namespace mikroscope::cli {

// The order of the help.
constexpr const Verb* kVerbs[] = {
    &kRecordVerb,   &kForwardVerb, &kMarkVerb,       &kPlotVerb,    &kDetectVerb,  &kStatusVerb,
    &kCapturesVerb, &kDoctorVerb,  &kPlanVerb,       &kInstallVerb, &kUpgradeVerb, &kUninstallVerb,
    &kImageVerb,    &kVersionVerb, &kCompletionVerb, &kManVerb,
};

std::span<const Verb* const> all_verbs() {
  return kVerbs;
}

const Verb* find_verb(std::string_view name) {
  for (const Verb* verb : kVerbs) {
    if (verb->name == name) return verb;
  }
  return nullptr;
}

}  // namespace mikroscope::cli
