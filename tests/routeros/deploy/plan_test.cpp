#include "routeros/deploy/plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "routeros/deploy/listing.h"
#include "routeros/deploy/script.h"
#include "tests/routeros/deploy/installing.h"

namespace mikroscope::routeros {
namespace {

using Given = std::vector<std::pair<std::string, std::string>>;

Plan plan_of(const Given& given, const Version& version = {7, 24}) {
  const Options options = options_with(given);
  std::string_view architecture = "arm64";
  if (options.arch == "amd64") architecture = "x86_64";
  if (options.arch.starts_with("armv")) architecture = "arm";
  base::Result<Plan> plan = make_plan(assumed_facts(version, architecture), options, image_of(options));
  EXPECT_TRUE(plan.ok()) << (plan.ok() ? "" : plan.error().what);
  return plan.ok() ? std::move(*plan) : Plan();
}

std::string container_command(const Plan& plan) {
  const Step* const step = plan.find("container");
  return step == nullptr ? "" : step_command(*step, true);
}

// Exact words per version: an unknown one is refused over the API, a missing one changes what the router
// does.
TEST(Plan, TheContainersWordsByVersion) {
  const std::string tag = " comment=\"mikroscope:mikroscope (managed by mikroscope)\"";
  const std::string head =
      "/container/add file=\"mikroscope.tar\" interface=veth-mikro root-dir=\"mikroscope/mikroscope\" ";
  const std::string middle = "entrypoint=\"/mikroscope-agent\" logging=yes start-on-boot=yes ";
  EXPECT_EQ(container_command(plan_of({}, {7, 9})),
            head + "envlist=mikroscope-env " + middle + "dns=\"172.30.10.1\"" + tag);
  EXPECT_EQ(container_command(plan_of({}, {7, 20})),
            head + "envlists=mikroscope-env " + middle +
                "auto-restart-interval=\"10s\" memory-high=\"64M\" dns=\"172.30.10.1\"" + tag);
  EXPECT_EQ(container_command(plan_of({}, {7, 23})),
            head + "envlists=mikroscope-env " + middle +
                "restart-policy=on-failure restart-max-count=5 restart-interval=\"10s\" memory-max=\"64M\" "
                "dns=\"172.30.10.1\"" +
                tag);
  EXPECT_EQ(container_command(plan_of({}, {7, 23, 2})),
            head + "envlists=mikroscope-env " + middle +
                "restart-policy=on-failure restart-max-count=5 restart-interval=\"10s\" memory-max=\"64M\" "
                "dns=\"172.30.10.1\" ignore-remote-image-change=yes" +
                tag);
  EXPECT_EQ(container_command(plan_of({}, {7, 24})),
            head + "envlists=mikroscope-env " + middle +
                "restart-policy=on-failure restart-max-count=5 restart-interval=\"10s\" memory-max=\"64M\" "
                "dns=\"172.30.10.1\" privileged=yes ignore-remote-image-change=yes" +
                tag);
}

TEST(Plan, TheImagesFileStaysWhereItsRemovalWouldTakeTheContainerAlong) {
  EXPECT_EQ(plan_of({}, {7, 23}).find("image file"), nullptr);
  EXPECT_NE(plan_of({}, {7, 23, 2}).find("image file"), nullptr);
  const Plan beta = plan_of({}, {7, 24, 0, Version::Stage::beta, 1});
  EXPECT_EQ(beta.find("image file"), nullptr);
  const bool noted = std::any_of(beta.notes.begin(), beta.notes.end(), [](const std::string& note) {
    return note.starts_with("the image's file mikroscope.tar stays on the router");
  });
  EXPECT_TRUE(noted);
}

TEST(Plan, EnvironmentEntriesAreNamedAsTheVersionWants) {
  EXPECT_TRUE(step_command(*plan_of({}, {7, 19}).find("environment ADDR"), true)
                  .starts_with("/container/envs/add name=mikroscope-env key=\"ADDR\" value=\"172.30.10.2\""));
  EXPECT_TRUE(step_command(*plan_of({}, {7, 20}).find("environment ADDR"), true)
                  .starts_with("/container/envs/add list=mikroscope-env key=\"ADDR\" value=\"172.30.10.2\""));
}

TEST(Plan, APullUploadsNothing) {
  const Plan plan = plan_of({{"remote-image", "ghcr.io/some/agent:1.2"}});
  EXPECT_EQ(plan.find("upload"), nullptr);
  EXPECT_EQ(plan.find("image file"), nullptr);
  EXPECT_EQ(plan.find("container")->attribute("remote-image"), "ghcr.io/some/agent:1.2");
  EXPECT_EQ(plan.find("container")->attribute("file"), "");
}

TEST(Plan, DnsIsGivenOnlyWhereTheRouterHasNone) {
  FakeRouter router;
  const Options options = options_with({});
  const base::Result<Plan> plan = make_plan(facts_of(router), options, image_of(options));
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan->find("container")->attribute("dns"), "");
}

TEST(Plan, ExposingAlwaysSaysToWhom) {
  const auto source = [](const Given& more) {
    Given given{{"expose", "yes"}, {"lan-address", "192.168.88.1"}};
    given.insert(given.end(), more.begin(), more.end());
    const Plan plan = plan_of(given);
    const Step* nat = plan.find("expose nat");
    const Step* accept = plan.find("expose accept");
    EXPECT_EQ(nat->attributes[1].value, accept->attributes[1].value);
    return nat->attributes[1].name + "=" + nat->attributes[1].value;
  };
  EXPECT_EQ(source({}), "in-interface-list=LAN");
  EXPECT_EQ(source({{"expose-from", "VPN"}}), "in-interface-list=VPN");
  EXPECT_EQ(source({{"expose-from", "192.168.88.0/24"}}), "src-address=192.168.88.0/24");
  EXPECT_EQ(source({{"expose-from", "192.168.88.7"}}), "src-address=192.168.88.7");
}

TEST(Plan, RefusesWhatTheVersionCannot) {
  const auto error = [](const Given& given, const Version& version) {
    const Options options = options_with(given);
    const base::Result<Plan> plan = make_plan(assumed_facts(version, "arm64"), options, image_of(options));
    return plan.ok() ? std::string() : plan.error().what;
  };
  EXPECT_EQ(error({{"privileged", "yes"}}, {7, 23}),
            "--privileged yes needs RouterOS 7.24 or newer; this is 7.23");
  EXPECT_EQ(error({{"container-name", "x"}}, {7, 18}),
            "--container-name: RouterOS 7.18 cannot name containers");
  EXPECT_EQ(error({}, {7, 8}), "RouterOS 7.8 has no containers that mikroscope can use");
  EXPECT_EQ(error({}, {6, 49, 10}), "RouterOS 6.49.10 has no containers that mikroscope can use");
  EXPECT_EQ(error({}, {7, 9}), "");
}

TEST(Plan, EveryStepIsNamedOnceAndKnowsItsIdentity) {
  for (const Given& given : {Given{}, Given{{"expose", "yes"}, {"lan-address", "192.168.88.1"}}}) {
    std::vector<std::string> names;
    const Plan plan = plan_of(given);
    EXPECT_EQ(plan.steps.front().name, "manifest");
    EXPECT_EQ(plan.steps.back().name, "start");
    for (const Step& step : plan.steps) {
      EXPECT_EQ(std::count(names.begin(), names.end(), step.name), 0) << step.name;
      names.push_back(step.name);
      EXPECT_FALSE(step.identity.empty()) << step.name;
      EXPECT_FALSE(step.title.empty()) << step.name;
      const bool tagged = step.attribute("comment") == plan.options.tag();
      EXPECT_EQ(tagged, step.kind == StepKind::row && step.owner == Owner::comment) << step.name;
    }
  }
}

TEST(Plan, EveryFamilySaysWhatItIsFor) {
  for (const StepFamily* family : all_step_families()) {
    EXPECT_FALSE(family->help.empty()) << family->name;
    EXPECT_EQ(find_step_family(family->name), family);
  }
}

TEST(Plan, TheArchitectureIsTheRouters) {
  const auto chosen = [](std::string_view reported, const char* asked) {
    const base::Result<Arch> arch =
        choose_arch(assumed_facts({7, 24}, reported), options_with({{"arch", asked}}));
    return arch.ok() ? std::string(arch_name(*arch)) : arch.error().what;
  };
  EXPECT_EQ(chosen("arm64", "auto"), "arm64");
  EXPECT_EQ(chosen("arm", "auto"), "armv5");
  EXPECT_EQ(chosen("x86_64", "auto"), "amd64");
  EXPECT_EQ(chosen("arm", "armv7"), "armv7");
  EXPECT_EQ(chosen("mipsbe", "auto"), "there is no agent for routers of the architecture \"mipsbe\"");
}

std::string slurp(const std::string& path) {
  std::ifstream in(path);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

// The version of this program stands in the manifest, and is no part of what is reviewed.
std::string without_version(std::string text) {
  const std::string written = "written-by=" MIKROSCOPE_VERSION;
  const std::size_t at = text.find(written);
  return at == std::string::npos ? text : text.replace(at, written.size(), "written-by=VERSION");
}

// Reviewed listings and scripts; MIKROSCOPE_UPDATE_GOLDENS=1 writes them anew.
void compare_golden(const std::string& name, const std::string& text) {
  const std::string path = std::string(MIKROSCOPE_TEST_DATA) + "/../routeros/deploy/golden/" + name;
  if (std::getenv("MIKROSCOPE_UPDATE_GOLDENS") != nullptr) {
    std::ofstream(path) << text;
    return;
  }
  EXPECT_EQ(slurp(path), text) << name << " is stale: MIKROSCOPE_UPDATE_GOLDENS=1 writes it anew; read it";
}

TEST(Plan, Goldens) {
  struct Case {
    const char* name;
    Given given;
    Version version = {7, 24};
  };
  const Case kCases[] = {
      {"default", {}},
      {"default-7.20", {}, {7, 20}},
      {"default-7.9", {}, {7, 9}},
      {"armv5", {{"arch", "armv5"}}},
      {"amd64", {{"arch", "amd64"}}},
      {"triggers", {{"triggers", "none"}, {"capture-mb", "0"}}},
      {"disk-usb1", {{"disk", "usb1"}}},
      {"ephemeral", {{"ephemeral", "yes"}}},
      {"ephemeral-pull", {{"ephemeral", "yes"}, {"remote-image", "ghcr.io/some/agent:1.2"}}},
      {"pull-private", {{"remote-image", "registry.example:5000/agent:1.2"}}},
      {"expose", {{"expose", "yes"}, {"lan-address", "192.168.88.1"}}},
      {"lists-none", {{"iface-list", "none"}, {"addr-list", "none"}}},
      {"lists-custom", {{"iface-list", "Trusted"}, {"addr-list", "home-nets"}}},
      {"rate50-ring300", {{"rate", "50"}, {"buffer", "300"}}},
      {"memory-restart-boot",
       {{"memory-max", "32M"},
        {"restart-max-count", "0"},
        {"restart-interval", "1m"},
        {"start-on-boot", "no"}}},
      {"second",
       {{"name", "second"}, {"veth", "veth-second"}, {"subnet", "172.30.11.0/30"}, {"no-token", "yes"}}},
  };
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.name);
    const Plan plan = plan_of(c.given, c.version);
    const std::string listing = plan_listing(plan, "", nullptr);
    EXPECT_EQ(listing.find(kTestToken), std::string::npos);
    EXPECT_EQ(plan_json(plan, "", nullptr).find(kTestToken), std::string::npos);
    compare_golden(std::string(c.name) + ".txt", listing);
    compare_golden(std::string(c.name) + ".rsc", without_version(plan_script(plan)));
  }
}

TEST(Script, HoldsTheTokenAndSaysSo) {
  const std::string script = plan_script(plan_of({}));
  EXPECT_NE(script.find(kTestToken), std::string::npos);
  EXPECT_NE(script.find("it is a credential"), std::string::npos);
  EXPECT_EQ(plan_script(plan_of({{"no-token", "yes"}})).find("credential"), std::string::npos);
}

TEST(Script, OneBlockGuardsBeforeWrites) {
  const std::string script = plan_script(plan_of({{"expose", "yes"}, {"lan-address", "192.168.88.1"}}));
  const std::size_t open = script.find("\n{\n");
  ASSERT_NE(open, std::string::npos);
  EXPECT_TRUE(script.ends_with("\n}\n"));
  const std::size_t last_guard = script.find("container: there is one already");
  const std::size_t first_write = script.find("/file/add");
  ASSERT_NE(last_guard, std::string::npos);
  EXPECT_LT(open, last_guard);
  EXPECT_LT(last_guard, first_write);
  for (const char c : script) EXPECT_TRUE(c == '\n' || (c >= ' ' && c <= '~'));
}

TEST(Script, ItsVersionGuard) {
  const auto guard = [](const Version& version) {
    const std::string script = plan_script(plan_of({}, version));
    const std::size_t at = script.find("~ \"") + 3;
    return script.substr(at, script.find('"', at) - at);
  };
  EXPECT_EQ(guard({7, 24}), "^7\\\\.24(\\\\.[0-9]+)\\3F( |\\$)");
  EXPECT_EQ(guard({7, 23, 2}), "^7\\\\.23\\\\.([2-9]|[1-9][0-9])( |\\$)");
  EXPECT_EQ(guard({7, 25, 0, Version::Stage::rc, 1}), "^7.25rc1( |\\$)");
}

}  // namespace
}  // namespace mikroscope::routeros
