#include "routeros/deploy/step.h"

#include <algorithm>

#include "routeros/session/value.h"

namespace mikroscope::routeros {
namespace {

// The order of the writes. The manifest comes before all of them (plan.cpp): it is made from their
// identities.
constexpr const StepFamily* kFamilies[] = {
    &kVethFamily,        &kAddressFamily, &kInterfaceListFamily, &kAddressListFamily, &kExposeFamily,
    &kEnvironmentFamily, &kUploadFamily,  &kContainerFamily,     &kExtractionFamily,  &kStartFamily,
};

bool holds(std::string_view menu, const Row& row, const Where& where) {
  const std::optional<std::string_view> value = row.find(where.name);
  if (!value) return false;
  if (*value == where.value) return true;
  // A container may have several interfaces.
  if (menu != "/container" || where.name != "interface") return false;
  const std::vector<std::string_view> items = split_list(*value);
  return std::find(items.begin(), items.end(), where.value) != items.end();
}

}  // namespace

std::span<const StepFamily* const> all_step_families() {
  return kFamilies;
}

const StepFamily* find_step_family(std::string_view name) {
  for (const StepFamily* family : kFamilies) {
    if (family->name == name) return family;
  }
  return nullptr;
}

std::string_view Step::file() const {
  if (menu != "/file") return {};
  for (const Where& where : identity) {
    if (where.name == "name") return where.value;
  }
  return {};
}

std::string_view Step::attribute(std::string_view attribute_name) const {
  for (const Attribute& a : attributes) {
    if (a.name == attribute_name) return a.value;
  }
  return {};
}

bool Step::identifies(const Row& row) const {
  return std::all_of(identity.begin(), identity.end(),
                     [&](const Where& where) { return holds(menu, row, where); });
}

}  // namespace mikroscope::routeros
