#include <fmt/format.h>

#include "routeros/deploy/attributes.h"
#include "routeros/deploy/listing.h"
#include "routeros/deploy/shape.h"
#include "routeros/deploy/upgrade.h"

namespace mikroscope::routeros {

Occupied find_occupied(const Facts& facts, const Options& options, Slot recorded) {
  Occupied out;
  const auto slot_of = [&options](const Row& row) {
    const std::string_view root = without_slash(row.text("root-dir"));
    return root == step_names(options, Slot::b).root_dir ? Slot::b : Slot::a;
  };
  const auto rank = [&](const Row& row) {
    return (container_state(row) == ContainerState::running ? 2 : 0) + (slot_of(row) == recorded ? 1 : 0);
  };
  const std::vector<const Row*> rows = tagged_rows(facts, "/container", options.tag());
  const Row* chosen = nullptr;
  for (const Row* row : rows) {
    if (chosen == nullptr || rank(*row) > rank(*chosen)) chosen = row;
  }
  for (const Row* row : rows) {
    if (row != chosen) out.leftovers.push_back(*row);
  }
  out.old_slot = recorded;
  out.record = read_shape(facts, options).manifest;
  if (chosen == nullptr) return out;
  out.old = *chosen;
  out.old_slot = slot_of(*chosen);
  return out;
}

base::Result<Plan> make_upgrade_plan(const Facts& facts, const Options& options, const ImageSource& image,
                                     const Occupied& occupied) {
  const Slot slot = occupied.old.id().empty() ? occupied.old_slot : other(occupied.old_slot);
  base::Result<Plan> plan = make_plan(facts, options, image, slot, false);
  if (!plan.ok()) return plan;
  for (Step& step : plan->steps) {
    if (step.family != "container") continue;
    for (Attribute& attribute : step.attributes) {
      if (attribute.name == "start-on-boot") attribute.value = "no";
    }
  }
  return plan;
}

std::string upgrade_listing(const Plan& plan, const Decisions& decisions, const Occupied& occupied,
                            const std::string& router) {
  std::string out = fmt::format("upgrade of \"{}\" on {}: RouterOS {}, {}\n", plan.options.name, router,
                                format_version(plan.version),
                                plan.image.remote.empty() ? plan.image.arch : plan.image.remote);
  std::string kept;
  std::string missing;
  std::string made;
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const Step& step = plan.steps[i];
    const StepFamily* const family = find_step_family(step.family);
    if (family == nullptr) continue;
    if (family->of_container) {
      made += fmt::format("       {}\n", step_command(step, true));
    } else if (decisions.steps[i].standing == Standing::absent) {
      missing += fmt::format("       {}\n", step_command(step, true));
    } else {
      kept += (kept.empty() ? "" : ", ") + step.name;
    }
  }
  out += fmt::format("keeps:\n    {}, token, all settings that are not given\n", kept);
  out += fmt::format("tag:\n    {}\nsteps:\n", plan.options.tag());
  int number = 0;
  if (!occupied.leftovers.empty())
    out += fmt::format("{:>4} remove {} container(s) of an upgrade that was cut short\n", ++number,
                       occupied.leftovers.size());
  if (!missing.empty()) out += fmt::format("{:>4} what is missing\n{}", ++number, missing);
  out += fmt::format("{:>4} the new container, beside the old one, not started\n{}", ++number, made);
  if (!occupied.old.id().empty()) {
    out +=
        fmt::format("{:>4} change places\n       /container/stop {}, then /container/start of the new one\n",
                    ++number, occupied.old.id());
    out += "       (if it does not answer: back to the old one)\n";
    out += fmt::format("{:>4} remove the old container, its directory {} and its settings\n", ++number,
                       without_slash(occupied.old.text("root-dir")));
  } else {
    out += fmt::format("{:>4} start it (there is no old container)\n", ++number);
  }
  out += fmt::format("{:>4} write the record {} anew\n", ++number, plan.options.manifest_file());
  out += "notes:\n";
  if (!occupied.old.id().empty()) {
    out +=
        "  - if the router refuses a second container on one interface, the old one is removed before the "
        "new one "
        "is made: a failure then leaves no agent until the next `mikroscope upgrade`\n";
  }
  for (const std::string& note : plan.notes) out += fmt::format("  - {}\n", note);
  return out + "nothing has been written yet\n";
}

}  // namespace mikroscope::routeros
