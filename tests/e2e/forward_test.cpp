// The collector as a user runs it, against a real agent and a real store: what must hold over its own death
// and the store's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>

#include "cli/http.h"
#include "tests/e2e/real_influxd.h"
#include "tests/support/program.h"

namespace mikroscope::test {
namespace {

using ::testing::HasSubstr;

Program::Options with_env(std::vector<std::string> env) {
  Program::Options options;
  options.env = std::move(env);
  return options;
}

std::string agent_program() {
  return std::string(MIKROSCOPE_BINARY_DIR) + "/mikroscope-agent";
}

struct RealAgent {
  explicit RealAgent(int rate_hz, int buffer_s = 60)
      : port(free_port()),
        program(
            {agent_program()},
            with_env({"PORT=" + std::to_string(port), "ADDR=127.0.0.1", "RATE_HZ=" + std::to_string(rate_hz),
                      "BUFFER_S=" + std::to_string(buffer_s), "SOURCES=stat,meminfo"})) {}
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port); }
  nlohmann::json health() const {
    cli::HttpClient client(url(), "");
    const auto reply = client.get("/healthz", "", 2000);
    return reply.ok() ? nlohmann::json::parse(reply->body, nullptr, false) : nlohmann::json();
  }
  std::int64_t seq() const {
    const nlohmann::json json = health();
    return json.is_object() ? json.value("seq", std::int64_t{0}) : 0;
  }

  int port;
  Program program;
};

class Forward : public ::testing::Test {
 protected:
  void SetUp() override {
    if (path_of("influxd").empty()) GTEST_SKIP() << "influxd is not installed";
    ASSERT_TRUE(influxd.start());
  }
  std::vector<std::string> command(const RealAgent& agent, std::vector<std::string> more = {}) {
    std::vector<std::string> words = mikroscope(
        {"forward", "--url", "r=" + agent.url(), "--influx", influxd.url(), "--influx-db", influxd.database(),
         "--influx-version", "1", "--spool", dir / "spool", "--poll", "100ms"});
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  std::vector<std::int64_t> stored_seqs() { return influxd.integers("SELECT seq FROM mikroscope_sample", 3); }
  // Every number from the first to the last, each once.
  void expect_whole(const std::vector<std::int64_t>& seqs) {
    ASSERT_FALSE(seqs.empty());
    for (std::size_t i = 1; i < seqs.size(); ++i) ASSERT_EQ(seqs[i], seqs[i - 1] + 1) << "at " << i;
  }

  TempDir dir;
  RealInfluxd influxd;
};

TEST_F(Forward, EverySampleIsInTheStoreOnceAfterTwentyKillsAndTheStoresOutages) {
  RealAgent agent(20, 120);
  ASSERT_TRUE(eventually(10'000, [&] { return agent.seq() > 3; }));
  std::mt19937 random(20261201);
  for (int kill_number = 0; kill_number < 20; ++kill_number) {
    // Half of the time the store is away; it comes and goes at its own moments.
    if (kill_number % 4 == 1) influxd.stop();
    if (kill_number % 4 == 3) {
      ASSERT_TRUE(influxd.start());
    }
    Program collector(command(agent, {"--from-start"}));
    const std::int64_t end = now_ms() + 150 + static_cast<std::int64_t>(random() % 500);
    eventually(end - now_ms(), [&] { return now_ms() >= end; });
    ASSERT_TRUE(collector.running()) << collector.err();
    collector.send(SIGKILL);
    collector.wait(5000);
  }
  const std::int64_t at_least = agent.seq();
  Program last(command(agent, {"--for", "1s", "--drain-timeout", "30s"}));
  const Exited ended = last.wait(60'000);
  EXPECT_EQ(ended.code, 0) << ended.err;
  const std::vector<std::int64_t> seqs = stored_seqs();
  expect_whole(seqs);
  EXPECT_LE(seqs.front(), 4) << "--from-start begins with the agent's oldest";
  EXPECT_GE(seqs.back(), at_least);
  EXPECT_TRUE(influxd.rows("SELECT * FROM mikroscope_gap").empty());
}

TEST_F(Forward, AnOutageOfTheStoreLosesNothing) {
  RealAgent agent(100);
  Program collector(command(agent));
  ASSERT_TRUE(eventually(20'000, [&] { return stored_seqs().size() > 20; })) << collector.err();
  influxd.stop();
  const std::int64_t from = agent.seq();
  ASSERT_TRUE(eventually(30'000, [&] { return agent.seq() > from + 600; }));
  ASSERT_TRUE(influxd.start());
  const std::int64_t back = agent.seq();
  ASSERT_TRUE(eventually(30'000, [&] {
    const auto seqs = stored_seqs();
    return !seqs.empty() && seqs.back() >= back;
  })) << collector.err();
  collector.send(SIGTERM);
  const Exited ended = collector.wait(30'000);
  EXPECT_EQ(ended.code, 0) << ended.err;
  expect_whole(stored_seqs());
  EXPECT_THAT(ended.err, HasSubstr("will keep trying"));
  EXPECT_THAT(ended.err, HasSubstr("works again"));
}

TEST_F(Forward, AnAgentThatRestartsIsSeenAndTold) {
  auto agent = std::make_unique<RealAgent>(50);
  const int port = agent->port;
  Program collector(command(*agent));
  ASSERT_TRUE(eventually(20'000, [&] { return stored_seqs().size() > 20; })) << collector.err();
  agent->program.send(SIGTERM);
  agent->program.wait(5000);
  Program again({agent_program()}, with_env({"PORT=" + std::to_string(port), "ADDR=127.0.0.1", "RATE_HZ=50",
                                             "SOURCES=stat,meminfo"}));
  ASSERT_TRUE(eventually(20'000, [&] {
    // From the new agent's first sample on.
    const auto told = influxd.integers("SELECT LAST(reboot) FROM mikroscope_restart", 2);
    return told.size() == 1 && !influxd
                                    .rows("SELECT seq FROM mikroscope_sample WHERE seq = 1 AND time >= " +
                                          std::to_string(told.front()))
                                    .empty();
  })) << collector.err();
  EXPECT_THAT(influxd.rows("SELECT reboot FROM mikroscope_restart").front(), HasSubstr("false"));
  collector.send(SIGTERM);
  EXPECT_EQ(collector.wait(30'000).code, 0);
}

// A store that takes the connection and never answers.
struct Silent {
  ~Silent() { close(listener.fd); }
  const Listener listener = listen_on_loopback();
};

TEST_F(Forward, AStoreThatHangsDoesNotDelayTheOther) {
  RealAgent agent(50);
  const Silent silent;
  Program collector(command(agent, {"--otlp", "http://127.0.0.1:" + std::to_string(silent.listener.port)}));
  ASSERT_TRUE(eventually(30'000, [&] { return stored_seqs().size() > 20; })) << collector.err();
  // Over five seconds the healthy store is never more than two seconds behind.
  std::int64_t worst = 0;
  const std::int64_t end = now_ms() + 5000;
  while (now_ms() < end) {
    const std::int64_t newest = agent.seq();
    const auto seqs = influxd.integers("SELECT LAST(seq) FROM mikroscope_sample", 3);
    ASSERT_FALSE(seqs.empty());
    worst = std::max(worst, newest - seqs.back());
  }
  EXPECT_LT(worst, 150) << "samples behind, at 50 Hz";
  collector.send(SIGTERM);
  const Exited ended = collector.wait(40'000);
  EXPECT_THAT(ended.err, HasSubstr("otlp"));
}

TEST_F(Forward, DocumentedQueriesWorkAsTheyAre) {
  RealAgent agent(20);
  Program collector(command(agent, {"--host-tag", "router", "--for", "3s"}));
  const Exited ended = collector.wait(40'000);
  ASSERT_EQ(ended.code, 0) << ended.err;
  const auto busy = influxd.rows(
      "SELECT MEAN(busy_ratio) FROM mikroscope_cpu WHERE host = 'router' AND time > 0 GROUP BY time(1h) "
      "fill(none)");
  EXPECT_FALSE(busy.empty());
  const auto used = influxd.rows("SELECT (total_kb - available_kb) / 1024.0 FROM mikroscope_mem LIMIT 1");
  EXPECT_EQ(used.size(), 1U);
}

TEST_F(Forward, AWrongTokenOfTheAgentEndsWithThree) {
  const int port = free_port();
  Program guarded({agent_program()}, with_env({"PORT=" + std::to_string(port), "ADDR=127.0.0.1",
                                               "TOKEN=right-token-0123456789", "SOURCES=stat"}));
  cli::HttpClient client("http://127.0.0.1:" + std::to_string(port), "");
  ASSERT_TRUE(eventually(10'000, [&] { return client.get("/healthz", "", 1000).ok(); }));
  Program collector(mikroscope({"forward", "--url", "http://127.0.0.1:" + std::to_string(port), "--influx",
                                influxd.url(), "--influx-db", "mk", "--spool", "memory"}),
                    with_env({"MIKROSCOPE_TOKEN=wrong-token-0123456789"}));
  const Exited ended = collector.wait(20'000);
  EXPECT_EQ(ended.code, 3) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("token"));
}

}  // namespace
}  // namespace mikroscope::test
