#include "tests/routeros/deploy/installing.h"

#include <gtest/gtest.h>

#include "routeros/deploy/attributes.h"
#include "routeros/deploy/gather.h"

namespace mikroscope::routeros {

Options options_with(const std::vector<std::pair<std::string, std::string>>& given) {
  Options out = default_options();
  for (const auto& [name, value] : given) {
    const OptionDef* const option = find_option(name);
    if (option == nullptr) {
      ADD_FAILURE() << "no option " << name;
      continue;
    }
    base::Result<void> set = option->set(out, value);
    EXPECT_TRUE(set.ok()) << name << ": " << (set.ok() ? "" : set.error().what);
  }
  base::Result<void> settled = settle(out);
  EXPECT_TRUE(settled.ok()) << (settled.ok() ? "" : settled.error().what);
  if (!out.no_token) out.token = kTestToken;
  return out;
}

ImageSource image_of(const Options& options) {
  ImageSource out;
  out.remote = options.remote_image;
  if (!out.remote.empty()) return out;
  out.arch = options.arch == "auto" ? "arm64" : options.arch;
  out.bytes = kImageBytes.size();
  out.origin = "built in";
  return out;
}

Facts facts_of(FakeRouter& router) {
  Answer<Facts> facts = gather(router, {});
  EXPECT_TRUE(facts.ok());
  return facts.ok() ? *facts : Facts();
}

namespace {

Upload upload_to(FakeRouter& router) {
  return [&router](const std::string& name, std::string_view bytes) -> base::Result<void> {
    const Answer<void> sent = router.upload(name, bytes, {});
    if (!sent.ok()) return to_error(sent.error(), router.router());
    return {};
  };
}

}  // namespace

Installing install_on(FakeRouter& router, const Options& options) {
  Installing out;
  const Facts facts = facts_of(router);
  const Shape shape = read_shape(facts, options);
  const base::Result<Plan> plan = make_plan(facts, options, image_of(options), shape.slot);
  if (!plan.ok()) {
    out.result = plan.error();
    return out;
  }
  const Decisions decisions = decide(*plan, facts);
  out.result = refuse_collisions(*plan, decisions);
  if (!out.result.ok()) return out;
  Applying applying{{router, router},
                    out.journal,
                    [&out](const Event& event) { out.events.push_back(event); },
                    upload_to(router),
                    kImageBytes};
  out.result = apply(*plan, decisions, applying);
  return out;
}

base::Result<void> uninstall_on(FakeRouter& router, const Options& asked) {
  const Shape shape = read_shape(facts_of(router), asked);
  Removing removing{{router, router}, {}};
  return uninstall(shape.options, removing);
}

base::Result<UpgradeResult> upgrade_on(FakeRouter& router, const Options& options, Reach reach) {
  const Facts facts = facts_of(router);
  const Shape shape = read_shape(facts, options);
  const Occupied occupied = find_occupied(facts, options, shape.slot);
  const base::Result<Plan> plan = make_upgrade_plan(facts, options, image_of(options), occupied);
  if (!plan.ok()) return plan.error();
  const Decisions decisions = decide(*plan, facts);
  base::Result<void> clear = refuse_collisions(*plan, decisions);
  if (!clear.ok()) return std::move(clear).error();
  Journal journal;
  Applying applying{{router, router}, journal, {}, upload_to(router), kImageBytes};
  return upgrade(*plan, decisions, occupied, applying, [reach]() -> base::Result<ProbeResult> {
    return ProbeResult{reach, "asked", ""};
  });
}

std::string container_state_on(FakeRouter& router, const Options& options) {
  std::string out;
  int found = 0;
  for (const Row& row : router.rows("/container")) {
    if (row.text("comment") != options.tag()) continue;
    ++found;
    out = state_name(container_state(row));
  }
  return found == 1 ? out : "";
}

}  // namespace mikroscope::routeros
