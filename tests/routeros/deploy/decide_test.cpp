#include "routeros/deploy/decide.h"

#include <gtest/gtest.h>

#include "tests/routeros/deploy/installing.h"

namespace mikroscope::routeros {
namespace {

base::Error refused(FakeRouter& router, const Options& options = options_with({})) {
  const std::string before = router.exported();
  const Installing run = install_on(router, options);
  EXPECT_EQ(router.exported(), before) << "something was written";
  EXPECT_FALSE(run.result.ok());
  return run.result.ok() ? base::Error{} : run.result.error();
}

TEST(Decide, EverySomebodyElsesObjectIsRefusedBeforeTheFirstWrite) {
  struct Case {
    const char* menu;
    Attributes row;
    std::vector<std::pair<std::string, std::string>> options;
    const char* evidence;
    const char* way_out;
  };
  const Case kCases[] = {
      {"/interface/veth",
       {{"name", "veth-mikro"}, {"comment", "guest"}},
       {},
       "/interface/veth name=veth-mikro (comment \"guest\")",
       "--veth"},
      {"/ip/address",
       {{"address", "10.0.0.1/24"}, {"interface", "veth-mikro"}},
       {},
       "/ip/address interface=veth-mikro (no comment)",
       "--veth"},
      {"/interface/list/member",
       {{"list", "LAN"}, {"interface", "veth-mikro"}},
       {},
       "/interface/list/member list=LAN interface=veth-mikro (no comment)",
       "--iface-list none"},
      {"/ip/firewall/address-list",
       {{"list", "LANs"}, {"address", "172.30.10.0/30"}},
       {},
       "/ip/firewall/address-list list=LANs address=172.30.10.0/30 (no comment)",
       "--addr-list none"},
      {"/ip/firewall/nat",
       {{"chain", "dstnat"}, {"dst-address", "192.168.88.1"}, {"protocol", "tcp"}, {"dst-port", "9123"}},
       {{"expose", "yes"}, {"lan-address", "192.168.88.1"}},
       "/ip/firewall/nat chain=dstnat dst-address=192.168.88.1 protocol=tcp dst-port=9123 (no comment)",
       "--port"},
      {"/container/envs",
       {{"list", "mikroscope-env"}, {"key", "A"}, {"value", "b"}},
       {},
       "/container/envs: the list mikroscope-env has no marker entry of ours",
       "--name"},
      {"/file", {{"name", "mikroscope.tar"}, {"size", "5"}}, {}, "the file mikroscope.tar", "--name"},
      {"/file",
       {{"name", "mikroscope/mikroscope.manifest.txt"}, {"contents", "tag=someone"}},
       {},
       "the file mikroscope/mikroscope.manifest.txt is not of this installation",
       "--name"},
      {"/container",
       {{"interface", "other,veth-mikro"}, {"comment", "proxy"}, {"root-dir", "/proxy"}},
       {},
       "/container interface=veth-mikro (comment \"proxy\")",
       "--veth"},
      // The tag of another installation, and ours with a blank behind it, are not ours.
      {"/interface/veth",
       {{"name", "veth-mikro"}, {"comment", "mikroscope:other (managed by mikroscope)"}},
       {},
       "/interface/veth name=veth-mikro (comment \"mikroscope:other (managed by mikroscope)\")",
       "--veth"},
      {"/interface/veth",
       {{"name", "veth-mikro"}, {"comment", "mikroscope:mikroscope (managed by mikroscope) "}},
       {},
       "/interface/veth name=veth-mikro (comment \"mikroscope:mikroscope (managed by mikroscope) \")",
       "--veth"},
  };
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.evidence);
    FakeRouter router;
    router.put(c.menu, c.row);
    const base::Error error = refused(router, options_with(c.options));
    EXPECT_EQ(error.exit, base::Exit::refused);
    EXPECT_EQ(error.what, std::string("refused, and nothing was written; not ours: ") + c.evidence);
    EXPECT_NE(error.fix.find(c.way_out), std::string::npos) << error.fix;
  }
}

TEST(Decide, AllCollisionsAreNamedAtOnce) {
  FakeRouter router;
  router.put("/interface/veth", {{"name", "veth-mikro"}});
  router.put("/file", {{"name", "mikroscope.tar"}, {"size", "5"}});
  const base::Error error = refused(router);
  EXPECT_NE(error.what.find("/interface/veth"), std::string::npos);
  EXPECT_NE(error.what.find("mikroscope.tar"), std::string::npos);
}

TEST(Decide, AMenuThatCannotBeReadIsRefused) {
  FakeRouter router;
  router.refused_menus.insert("/ip/firewall/address-list");
  const base::Error error = refused(router);
  EXPECT_EQ(error.what,
            "refused, and nothing was written; cannot be read: /ip/firewall/address-list: not enough "
            "permissions (9)");
  EXPECT_NE(error.fix.find("doctor"), std::string::npos);
}

TEST(Decide, ADifferenceIsSaid) {
  FakeRouter router;
  ASSERT_TRUE(install_on(router, options_with({})).result.ok());
  for (const Row& address : router.rows("/ip/address"))
    ASSERT_TRUE(router.set("/ip/address", std::string(address.id()), {{"address", "172.30.99.1/30"}}).ok());
  const Facts facts = facts_of(router);
  const Options options = options_with({});
  const base::Result<Plan> plan = make_plan(facts, options, image_of(options));
  ASSERT_TRUE(plan.ok());
  const Decisions decisions = decide(*plan, facts);
  for (std::size_t i = 0; i < plan->steps.size(); ++i) {
    const bool is_address = plan->steps[i].name == "address";
    EXPECT_EQ(decisions.steps[i].standing, is_address ? Standing::differs : Standing::ours)
        << plan->steps[i].name;
    EXPECT_EQ(decisions.steps[i].evidence, is_address ? "address is 172.30.99.1/30, not 172.30.10.1/30" : "");
  }
}

TEST(Decide, ASecretThatDiffersIsNotShown) {
  FakeRouter router;
  ASSERT_TRUE(install_on(router, options_with({})).result.ok());
  const Facts facts = facts_of(router);
  Options options = options_with({});
  options.token = "another-token-of-some-length";
  const base::Result<Plan> plan = make_plan(facts, options, image_of(options));
  ASSERT_TRUE(plan.ok());
  const Decisions decisions = decide(*plan, facts);
  bool seen = false;
  for (const Decision& decision : decisions.steps) {
    EXPECT_EQ(decision.evidence.find(kTestToken), std::string::npos);
    seen = seen || decision.evidence == "TOKEN has another value";
  }
  EXPECT_TRUE(seen);
}

TEST(Shape, OptionsThatContradictTheInstallationAreRefused) {
  FakeRouter router;
  ASSERT_TRUE(install_on(router, options_with({{"subnet", "172.30.20.0/30"}, {"rate", "20"}})).result.ok());
  const Shape shape = read_shape(facts_of(router), default_options());
  const base::Result<Options> left_out = merge_options(shape, default_options(), {});
  ASSERT_TRUE(left_out.ok());
  EXPECT_EQ(left_out->subnet, "172.30.20.0/30");
  EXPECT_EQ(left_out->agent_setting("RATE_HZ"), "20");
  const base::Result<Options> other =
      merge_options(shape, options_with({{"subnet", "172.30.30.0/30"}}), {"subnet"});
  ASSERT_FALSE(other.ok());
  EXPECT_EQ(other.error().exit, base::Exit::usage);
  EXPECT_EQ(other.error().what,
            "--subnet 172.30.30.0/30 contradicts the installation \"mikroscope\", which was made with "
            "172.30.20.0/30");
  // What an upgrade may change is no contradiction.
  const base::Result<Options> rate = merge_options(shape, options_with({{"rate", "50"}}), {"rate"});
  ASSERT_TRUE(rate.ok());
  EXPECT_EQ(rate->agent_setting("RATE_HZ"), "50");
}

}  // namespace
}  // namespace mikroscope::routeros
