// What a tier makes of a router that is not well.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "routeros/tier/link.h"
#include "tests/routeros/tier/tier_on_double.h"

namespace mikroscope::test {
namespace {

using model::Event;
using routeros::ApiPreset;
using routeros::ApiTierOptions;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using Names = std::vector<std::string>;

std::int64_t ms_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - start)
      .count();
}

TEST(ApiTierFaults, AMenuThatIsMissingIsAskedOnceForEachConnection) {
  ApiTierOptions options = every_second();
  options.health = true;
  TierOnDouble sim(options, {.faults = {"no-menu=/system/health"}});
  std::vector<Event> events = sim.round();
  EXPECT_EQ(text(events, "api_error", {"health"}, "message"), "no such command prefix");
  EXPECT_EQ(number(events, "api_system", {}, "uptime_s"), 60);
  EXPECT_EQ(with(sim.next_round(), "api_error"), nullptr);
  EXPECT_EQ(sim.asked("/system/health/print"), 1u);
  EXPECT_EQ(sim.lines(),
            "api tier: health: no such command prefix; this router lacks it: it is left alone\n");
  EXPECT_THAT(sim.tier->counts().left_alone, ElementsAre("health: no such command prefix"));
  EXPECT_EQ(sim.tier->counts().failed_rounds, 0u);
  // A new session may be with a new version; it is not said again.
  sim.restart_server();
  sim.advance(5000);
  sim.round();
  sim.next_round();
  EXPECT_EQ(sim.asked("/system/health/print"), 2u);
  EXPECT_EQ(sim.lines().find("lacks it"), sim.lines().rfind("lacks it"));
}

TEST(ApiTierFaults, AMissingPolicyIsNamedOnceAndTriedAgainLater) {
  ApiTierOptions options = every_second();
  options.labels_every_ns = 10 * kSecond;
  TierOnDouble sim(options, {.faults = {"no-read=/system/resource/cpu"}});
  EXPECT_EQ(text(sim.round(), "api_error", {"resource/cpu"}, "message"), "not enough permissions (9)");
  for (int i = 0; i < 5; ++i) sim.next_round();
  EXPECT_EQ(sim.asked("/system/resource/cpu/print"), 1u);
  ASSERT_EQ(sim.said.size(), 1u);
  EXPECT_THAT(sim.said[0], HasSubstr("the account's group lacks the policy read"));
  sim.router.clear_faults();
  sim.advance(5000);
  EXPECT_EQ(rows(sim.round(), "api_core").size(), 4u);
}

TEST(ApiTierFaults, OneRefusedCommandCostsNothingElse) {
  ApiTierOptions options = every_second();
  options.interfaces = {"all"};
  TierOnDouble sim(options);
  sim.round();
  ASSERT_EQ(sim.router.set_fault("monitor-trap"), std::nullopt);
  std::vector<Event> events = sim.next_round();
  EXPECT_EQ(number(events, "api_system", {}, "uptime_s"), 61);
  EXPECT_EQ(with(events, "api_iface"), nullptr);
  EXPECT_EQ(text(events, "api_error", {"monitor-traffic"}, "message"), "failure: simulated");
  EXPECT_EQ(sim.tier->counts().failed_rounds, 1u);
  EXPECT_EQ(sim.tier->counts().reconnects, 0u);  // the router answered: there is nothing to dial for
  EXPECT_EQ(text(sim.next_round(), "api_error", {"monitor-traffic"}, "message"), "failure: simulated");
  EXPECT_EQ(sim.said.size(), 1u);
  sim.router.clear_faults();
  EXPECT_EQ(rows(sim.next_round(), "api_iface").size(), 7u);
  EXPECT_THAT(sim.lines(), HasSubstr("api tier: monitor-traffic: failure: simulated\n"));
  EXPECT_THAT(sim.lines(), HasSubstr("api tier: recovered after 2 failed rounds\n"));
}

TEST(ApiTierFaults, AnInterfaceThatIsGoneCostsNoRates) {
  ApiTierOptions options = every_second();
  options.interfaces = {"all", "!lo"};
  TierOnDouble sim(options);
  sim.round();
  sim.run("/interface/ethernet/set", {{".id", "ether5"}, {"name", "renamed"}});
  const std::vector<Event> events = sim.next_round();
  EXPECT_EQ(number(events, "api_iface", {"ether1"}, "tx_queue_drops"), 0);
  EXPECT_EQ(number(events, "api_iface", {"renamed"}, "tx_queue_drops"), 0);
  EXPECT_EQ(with(events, "api_error"), nullptr);
  EXPECT_EQ(rows(events, "api_ifinfo").size(), 7u);  // the inventory was read again at once
  EXPECT_EQ(sim.lines(), "");
}

TEST(ApiTierFaults, ALostSessionIsDialledAndTheCommandRepeated) {
  for (const char* fault : {"cut-once=/system/resource/cpu", "fatal-once=/system/resource/cpu"}) {
    TierOnDouble sim(every_second());
    sim.round();
    sim.advance(5000);
    ASSERT_EQ(sim.router.set_fault(fault), std::nullopt);
    const std::vector<Event> events = sim.round();
    EXPECT_EQ(rows(events, "api_core").size(), 4u) << fault;
    EXPECT_EQ(number(events, "api_system", {}, "uptime_s"), 65) << fault;
    EXPECT_NE(with(events, "api_ifinfo"), nullptr) << fault;  // read again after a reconnect
    EXPECT_EQ(with(events, "api_error"), nullptr) << fault;
    EXPECT_EQ(sim.tier->counts().reconnects, 1u) << fault;
    EXPECT_EQ(sim.lines(), "api tier: reconnected (1 since start)\n") << fault;
  }
}

TEST(ApiTierFaults, DialsAtMostEveryFiveSecondsAndReturnsAtOnceBetween) {
  TierOnDouble sim(every_second());
  sim.round();
  ASSERT_EQ(sim.router.set_fault("accept-close"), std::nullopt);
  sim.restart_server();
  std::vector<Event> events = sim.next_round();  // 1 s after the first dial: none yet
  EXPECT_NE(text(events, "api_error", {"resource"}, "message"), "");
  EXPECT_FALSE(sim.tier->counts().connected);
  for (int second = 2; second < 5; ++second) EXPECT_TRUE(sim.next_round().empty()) << second;
  EXPECT_EQ(sim.tier->counts().failed_dials, 0u);
  events = sim.next_round();
  EXPECT_EQ(sim.tier->counts().failed_dials, 1u);
  EXPECT_NE(text(events, "api_error", {"connection"}, "message"), "");
  EXPECT_FALSE(with(events, "api_error")->repeat);
  const std::size_t said = sim.said.size();
  for (int second = 6; second < 10; ++second) EXPECT_TRUE(sim.next_round().empty()) << second;
  events = sim.next_round();
  EXPECT_EQ(sim.tier->counts().failed_dials, 2u);
  EXPECT_TRUE(with(events, "api_error")->repeat);  // nothing new
  EXPECT_EQ(sim.said.size(), said);
  sim.router.clear_faults();
  sim.advance(5000);
  EXPECT_EQ(number(sim.round(), "api_system", {}, "uptime_s"), 75);
  EXPECT_THAT(
      sim.lines(),
      HasSubstr("api tier: reconnected (1 since start)\napi tier: recovered after 3 failed rounds\n"));
}

TEST(ApiTierFaults, AFirstDialThatFailsIsNotTheLast) {
  TierOnDouble sim(every_second(), {.faults = {"accept-close"}});
  EXPECT_NE(text(sim.round(), "api_error", {"connection"}, "message"), "");
  sim.router.clear_faults();
  sim.advance(5000);
  EXPECT_EQ(number(sim.round(), "api_system", {}, "uptime_s"), 65);
  EXPECT_EQ(sim.tier->counts().reconnects, 0u);
  EXPECT_EQ(sim.tier->counts().connects, 1u);
}

TEST(ApiTierFaults, ARefusedLoginIsNotRepeatedEveryFiveSeconds) {
  TierOnDouble sim(every_second(), {.faults = {"wrong-password"}});
  const std::vector<Event> events = sim.round();
  EXPECT_THAT(text(events, "api_error", {"connection"}, "message"),
              HasSubstr("invalid user name or password"));
  for (int second = 1; second < 60; ++second) sim.next_round();
  EXPECT_EQ(sim.tier->counts().failed_dials, 1u);
  sim.next_round();
  EXPECT_EQ(sim.tier->counts().failed_dials, 2u);
}

TEST(ApiTierFaults, AMenuThatHangsIsFoundAndLeftAlone) {
  ApiTierOptions options = every_second();
  options.health = true;
  TierOnDouble sim(options, {.faults = {"hang-menu=/system/health"}}, 200);
  std::vector<Event> events;
  const std::int64_t took = ms_of([&] { events = sim.round(); });
  EXPECT_GE(took, 200);
  EXPECT_LT(took, 5000);
  // What was answered before the session had to be given up counts.
  EXPECT_EQ(number(events, "api_system", {}, "uptime_s"), 60);
  EXPECT_EQ(text(events, "api_error", {"health"}, "message"), "the router does not answer it");
  EXPECT_THAT(sim.lines(), HasSubstr("left alone for a minute at a time"));
  sim.advance(5000);
  sim.asked();
  EXPECT_LT(ms_of([&] { events = sim.round(); }), 200);
  EXPECT_EQ(with(events, "api_error"), nullptr);
  EXPECT_THAT(sim.asked(), Not(testing::Contains("/system/health/print")));
  EXPECT_THAT(sim.tier->counts().left_alone, ElementsAre(HasSubstr("health: no answer")));
  sim.router.clear_faults();
  sim.advance(60'000);
  EXPECT_NE(with(sim.round(), "api_health"), nullptr);
}

TEST(ApiTierFaults, AHangingInventoryDoesNotHoldTheRest) {
  TierOnDouble sim(every_second(), {.faults = {"hang-menu=/interface/bridge/port"}}, 200);
  sim.round();
  sim.advance(5000);
  std::vector<Event> events;
  EXPECT_LT(ms_of([&] { events = sim.round(); }), 200);
  EXPECT_TRUE(number(events, "api_system", {}, "uptime_s"));
  EXPECT_EQ(with(events, "api_error"), nullptr);
  EXPECT_EQ(sim.tier->find_port("eth0")->interface, "ether1");
}

TEST(ApiTierFaults, SlowAnswersAndOddRepliesAreWaitedFor) {
  ApiTierOptions options = every_second();
  options.interfaces = {"all"};
  for (const char* fault :
       {"reply-delay=50", "interleave", "octet-writes", "empty-sentences", "unknown-reply", "tag-first"}) {
    TierOnDouble sim(options, {.faults = {fault}});
    const std::vector<Event> events = sim.round();
    EXPECT_EQ(rows(events, "api_core").size(), 4u) << fault;
    EXPECT_EQ(rows(events, "api_iface").size(), 7u) << fault;
    EXPECT_EQ(with(events, "api_error"), nullptr) << fault;
  }
}

TEST(ApiTierFaults, AnInterruptEndsARoundAndAllAfterIt) {
  TierOnDouble sim(every_second(), {.faults = {"hang-menu=/system/resource"}}, 60'000);
  std::thread other([&] {
    while (sim.router.requests().logins() == 0) std::this_thread::yield();
    sim.tier->interrupt();
  });
  EXPECT_LT(ms_of([&] { EXPECT_TRUE(sim.round().empty()); }), 10'000);
  other.join();
  EXPECT_TRUE(sim.next_round().empty());
  EXPECT_EQ(sim.tier->next_due_ns(), INT64_MAX);
}

TEST(ApiTierFaults, ARouterThatJustBootedIsReadAgainSoon) {
  TierOnDouble sim(every_second(), {.faults = {"boot=5000"}});
  EXPECT_EQ(with(sim.round(), "api_ifinfo"), nullptr);  // empty: not taken for the truth
  for (int i = 0; i < 4; ++i) sim.next_round();
  EXPECT_NE(with(sim.next_round(), "api_ifinfo"), nullptr);
}

TEST(TierLink, SecretsAreInNoMessage) {
  TierOnDouble sim(every_second(), {.faults = {"wrong-password"}});
  routeros::ApiTarget target = sim.target();
  target.password = "open-sesame";
  routeros::TierLink link(target);
  EXPECT_EQ(link.connect(0), routeros::TierLink::Dial::failed);
  EXPECT_EQ((link.why().what + link.why().fix).find("open-sesame"), std::string::npos);
}

}  // namespace
}  // namespace mikroscope::test
