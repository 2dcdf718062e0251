#include "routeros/deploy/probe.h"

#include <gtest/gtest.h>

#include "routeros/deploy/apply_advice.h"
#include "routeros/deploy/journal.h"
#include "routeros/deploy/token.h"
#include "tests/routeros/deploy/installing.h"
#include "tests/support/temp_dir.h"

namespace mikroscope::routeros {
namespace {

// A router whose /tool/fetch answers, or does not.
class FetchingRouter final : public Session {
 public:
  explicit FetchingRouter(FakeRouter& router) : router_(router) {}

  Answer<std::vector<Row>> call(const Call& call) override {
    if (call.command != "/tool/fetch") return router_.call(call);
    ++fetches;
    for (const Attribute& a : call.attributes) {
      EXPECT_EQ(a.secret, a.name == "http-header-field") << a.name;
      if (a.name == "url") url = a.value;
      if (a.name == "http-header-field") header = a.value;
    }
    if (!error.empty()) return Trouble(DeviceError{error, 4, call.command});
    return std::vector<Row>{Row(Attributes{{"status", "connecting"}}),
                            Row(Attributes{{"status", "finished"}, {"data", "{\"ok\":true}"}})};
  }
  Answer<std::vector<Row>> print(const Print& p) override { return router_.print(p); }
  Answer<std::string> add(const std::string& m, const Attributes& a) override { return router_.add(m, a); }
  Answer<void> set(const std::string& m, const std::string& i, const Attributes& a) override {
    return router_.set(m, i, a);
  }
  Answer<void> remove(const std::string& m, const std::string& i) override { return router_.remove(m, i); }
  bool can_upload() const override { return false; }
  Answer<void> upload(const std::string& n, std::string_view b, const Progress& p) override {
    return router_.upload(n, b, p);
  }
  Via via() const override { return Via::api_ssl; }
  std::string router() const override { return "home"; }
  std::string host() const override { return "192.0.2.1"; }
  std::string local_address() const override { return "192.0.2.9"; }
  void interrupt_on(int) override {}

  std::string error;
  std::string url, header;
  int fetches = 0;

 private:
  FakeRouter& router_;
};

class Probe : public testing::Test {
 protected:
  Probe() : session(router) { EXPECT_TRUE(install_on(router, options).result.ok()); }

  ProbeResult run(AskFromHere ask) {
    const base::Result<ProbeResult> result = probe({session, router}, options, ask);
    EXPECT_TRUE(result.ok());
    return result.ok() ? *result : ProbeResult();
  }

  FakeRouter router;
  FetchingRouter session;
  Options options = options_with({});
};

base::Result<std::string> unreachable() {
  return base::Error{"no route to host", ""};
}

TEST_F(Probe, Reachable) {
  const ProbeResult result =
      run([]() -> base::Result<std::string> { return std::string("the agent answers"); });
  EXPECT_EQ(result.reach, Reach::reachable);
  EXPECT_EQ(result.text, "the agent answers");
  EXPECT_EQ(session.fetches, 0);
}

TEST_F(Probe, AnAgentThatNeedsAMoment) {
  int tries = 0;
  session.error = "failure: connection timeout";
  const ProbeResult result = run([&tries]() -> base::Result<std::string> {
    if (++tries < 4) return base::Error{"connection refused", ""};
    return std::string("there");
  });
  EXPECT_EQ(result.reach, Reach::reachable);
}

TEST_F(Probe, OnlyTheRouterReachesIt) {
  const std::int64_t before_ns = router.now_ns();
  const ProbeResult result = run(unreachable);
  EXPECT_EQ(result.reach, Reach::from_router_only);
  EXPECT_EQ(result.text,
            "the agent runs and answers the router, but this machine cannot reach http://172.30.10.2:9123 "
            "(no route to "
            "host)");
  EXPECT_NE(result.fix.find("--expose"), std::string::npos);
  EXPECT_EQ(session.fetches, 1);
  EXPECT_EQ(session.url, "http://172.30.10.2:9123/healthz");
  EXPECT_EQ(session.header, "Authorization: Bearer " + kTestToken);
  EXPECT_LT(router.now_ns() - before_ns, 6 * kSecondNs);
}

TEST_F(Probe, NobodyReachesIt) {
  session.error = "failure: connection timeout";
  const ProbeResult result = run(unreachable);
  EXPECT_EQ(result.reach, Reach::silent);
  EXPECT_EQ(
      result.text,
      "nobody reaches the agent at http://172.30.10.2:9123, although its container runs; this machine: no "
      "route to host; the router: failure: connection timeout");
  EXPECT_NE(result.fix.find("doctor"), std::string::npos);
}

TEST_F(Probe, AnAccountWithoutThePolicyTestIsAskedOnce) {
  session.error = "not enough permissions (9)";
  const ProbeResult result = run(unreachable);
  EXPECT_EQ(result.reach, Reach::silent);
  EXPECT_EQ(session.fetches, 1);
}

TEST_F(Probe, AContainerThatDoesNotRun) {
  router.put("/log", {{"time", "12:00:01"},
                      {"topics", "container,error"},
                      {"message", "exited with signal 4 (Illegal instruction) : CPU not supported"}});
  for (const Row& row : router.rows("/container"))
    ASSERT_TRUE(router.call({"/container/stop", {{".id", std::string(row.id())}}}).ok());
  session.error = "failure: connection timeout";
  const ProbeResult result = run(unreachable);
  EXPECT_EQ(result.reach, Reach::not_running);
  EXPECT_NE(result.text.find("the container does not run (stopped)"), std::string::npos) << result.text;
  EXPECT_EQ(result.fix, "install the agent for the oldest ARM: `mikroscope upgrade --arch armv5`");
}

TEST(Advice, FitsTheNewestLineThatAnyFits) {
  struct Case {
    const char* line;
    const char* words;
  };
  const Case kCases[] = {
      {"12:00 *** error: exited with signal 4 (Illegal instruction)", "signal 4"},
      {"exited with status 255: execvp /mikroscope-agent: Exec format error", "exec format error"},
      {"exited with signal 11 (Segmentation fault)", "signal 11"},
      {"*** error: start failed: no command specified, set cmd or entrypoint", "no command specified"},
      {"error: could not find image manifest in archive", "could not find image manifest"},
      {"import error: fetch manifest failed: no manifest found for this architecture",
       "no manifest found for this architecture"},
      {"fetch manifest failed: getting https://ghcr.io/v2/x failed: auth error", "auth error"},
  };
  for (const Case& c : kCases) {
    const Advice* const advice = find_advice({"removing files", c.line, "remove done"});
    ASSERT_NE(advice, nullptr) << c.line;
    EXPECT_EQ(advice->words, c.words);
    EXPECT_FALSE(advice->fix.empty());
  }
  EXPECT_EQ(find_advice({"*** started /mikroscope-agent"}), nullptr);
  EXPECT_EQ(find_advice({"auth error", "resolving error"})->words, "resolving error");
}

TEST(ContainerLog, TheLastLinesOfItsTopic) {
  FakeRouter router;
  router.put("/log", {{"time", "1"}, {"topics", "system,info"}, {"message", "user admin logged in"}});
  for (int i = 0; i < 4; ++i) {
    router.put("/log",
               {{"time", std::to_string(i)}, {"topics", "container,info"}, {"message", "line\x1b[1m"}});
  }
  EXPECT_EQ(container_log(router, 2), (std::vector<std::string>{"2 line\\x1b[1m", "3 line\\x1b[1m"}));
  router.refused_menus.insert("/log");
  EXPECT_TRUE(container_log(router, 2).empty());
}

TEST(Journal, OutlivesItsRun) {
  const test::TempDir directory;
  const std::string path = directory / "run.jsonl";
  {
    base::Result<Journal> journal = Journal::open(path);
    ASSERT_TRUE(journal.ok());
    ASSERT_TRUE(journal->begin({"veth", "/interface/veth", "", ""}).ok());
    ASSERT_TRUE(journal->done({"veth", "/interface/veth", "*1", ""}).ok());
    ASSERT_TRUE(journal->begin({"address", "/ip/address", "", ""}).ok());
  }
  // A power cut in the middle of a line.
  std::ofstream(path, std::ios::app) << "{\"step\":\"cont";
  base::Result<Journal> journal = Journal::open(path);
  ASSERT_TRUE(journal.ok());
  ASSERT_EQ(journal->entries().size(), 2u);
  EXPECT_EQ(journal->entries()[0].id, "*1");
  EXPECT_EQ(journal->entries()[1].step, "address");
  EXPECT_EQ(journal->entries()[1].id, "");
  journal->close();
  EXPECT_TRUE(directory.names().empty());
}

TEST(Token, IsLongAndNeverTheSame) {
  const base::Result<std::string> one = make_token();
  const base::Result<std::string> two = make_token();
  ASSERT_TRUE(one.ok());
  ASSERT_TRUE(two.ok());
  EXPECT_EQ(one->size(), 64u);
  EXPECT_TRUE(good_token(*one));
  EXPECT_NE(*one, *two);
  EXPECT_FALSE(good_token("short"));
  EXPECT_FALSE(good_token("has a blank in it, no?"));
  EXPECT_FALSE(good_token("***************"));
}

}  // namespace
}  // namespace mikroscope::routeros
