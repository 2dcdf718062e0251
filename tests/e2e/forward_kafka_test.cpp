// Two collectors with Kafka between them: one pulls and publishes, the other stores.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>
#include <signal.h>

#include "cli/http.h"
#include "tests/e2e/real_influxd.h"
#include "tests/support/program.h"

namespace mikroscope::test {
namespace {

// The protocol is real, the broker is librdkafka's own.
struct MockCluster {
  MockCluster() {
    char reason[256];
    client = rd_kafka_new(RD_KAFKA_PRODUCER, rd_kafka_conf_new(), reason, sizeof reason);
    cluster = rd_kafka_mock_cluster_new(client, 1);
    rd_kafka_mock_topic_create(cluster, "mk", 2, 1);
  }
  ~MockCluster() {
    rd_kafka_mock_cluster_destroy(cluster);
    rd_kafka_destroy(client);
  }
  std::string url() const {
    return std::string("kafka://") + rd_kafka_mock_cluster_bootstraps(cluster) + "/mk";
  }

  rd_kafka_t* client = nullptr;
  rd_kafka_mock_cluster_t* cluster = nullptr;
};

TEST(ForwardKafka, WhatOneCollectorPublishesAnotherStoresAndTakesUpAgainAfterItsDeath) {
  if (path_of("influxd").empty()) GTEST_SKIP() << "influxd is not installed";
  RealInfluxd influxd;
  ASSERT_TRUE(influxd.start());
  const MockCluster kafka;
  TempDir dir;
  const int port = free_port();
  Program::Options agent_options;
  agent_options.env = {"PORT=" + std::to_string(port), "ADDR=127.0.0.1", "RATE_HZ=20", "SOURCES=stat"};
  Program agent({std::string(MIKROSCOPE_BINARY_DIR) + "/mikroscope-agent"}, agent_options);
  const std::string url = "http://127.0.0.1:" + std::to_string(port);
  cli::HttpClient client(url, "");
  ASSERT_TRUE(eventually(10'000, [&] { return client.get("/healthz", "", 1000).ok(); }));

  Program publisher(
      mikroscope({"forward", "--url", "r=" + url, "--to", kafka.url(), "--spool", dir / "spool"}));
  const std::vector<std::string> store =
      mikroscope({"forward", "--from", kafka.url(), "--group", "stores", "--influx", influxd.url(),
                  "--influx-db", influxd.database(), "--influx-version", "1"});
  const auto seqs = [&] { return influxd.integers("SELECT seq FROM mikroscope_sample", 3); };
  {
    Program first(store);
    ASSERT_TRUE(eventually(60'000, [&] { return seqs().size() > 20; })) << first.err() << publisher.err();
    first.send(SIGKILL);
    first.wait(5000);
  }
  const std::size_t before = seqs().size();
  Program second(store);
  ASSERT_TRUE(eventually(60'000, [&] { return seqs().size() > before + 40; }))
      << second.err() << publisher.err();
  publisher.send(SIGTERM);
  EXPECT_EQ(publisher.wait(30'000).code, 0);
  second.send(SIGTERM);
  const Exited ended = second.wait(30'000);
  EXPECT_EQ(ended.code, 0) << ended.err;
  const std::vector<std::int64_t> all = seqs();
  for (std::size_t i = 1; i < all.size(); ++i) ASSERT_EQ(all[i], all[i - 1] + 1) << "each once, at " << i;
  EXPECT_LE(all.front(), 20);
}

}  // namespace
}  // namespace mikroscope::test
