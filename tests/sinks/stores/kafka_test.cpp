// Both sides of Kafka against the cluster that librdkafka brings for tests.
#include <gtest/gtest.h>
#include <librdkafka/rdkafka.h>
// After rdkafka.h.
#include <librdkafka/rdkafka_mock.h>

#include "base/clock.h"
#include "model/block.h"
#include "sinks/stores/kafka_client.h"
#include "sinks/stores/kafka_source.h"
#include "sinks/stores/registry.h"
#include "tests/sinks/stores/metric_events.h"

namespace mikroscope::sinks {
namespace {

struct Cluster {
  KafkaHandle handle;
  rd_kafka_mock_cluster_t* mock = nullptr;

  Cluster() {
    char why[256];
    handle.reset(rd_kafka_new(RD_KAFKA_PRODUCER, rd_kafka_conf_new(), why, sizeof why));
    mock = rd_kafka_mock_cluster_new(handle.get(), 1);
    rd_kafka_mock_topic_create(mock, "routers", 1, 1);
  }
  ~Cluster() { rd_kafka_mock_cluster_destroy(mock); }
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;
  std::string url() const {
    return std::string("kafka://") + rd_kafka_mock_cluster_bootstraps(mock) + "/routers";
  }
};

std::unique_ptr<Sink> make(const Cluster& cluster) {
  SinkValues values;
  values.set("to", cluster.url());
  auto sink = kKafkaSink.make(values);
  EXPECT_TRUE(sink) << sink.error().what;
  return std::move(*sink);
}

// The next message, within 20 s.
std::optional<KafkaSource::Polled> next(KafkaSource& source) {
  const std::int64_t end = base::monotonic_ns() + 20 * base::kNsPerSecond;
  while (base::monotonic_ns() < end) {
    auto polled = source.poll(100);
    if (!polled) {
      ADD_FAILURE() << polled.error().what;
      return std::nullopt;
    }
    if (*polled) return std::move(**polled);
  }
  ADD_FAILURE() << "no message in 20 s";
  return std::nullopt;
}

TEST(Kafka, TakesAddresses) {
  const auto url = parse_kafka_url("kafkas://a.example.org:9093,b.example.org/t.1");
  ASSERT_TRUE(url);
  EXPECT_EQ(url->brokers, "a.example.org:9093,b.example.org");
  EXPECT_EQ(url->topic, "t.1");
  EXPECT_TRUE(url->tls);
  for (const char* wrong :
       {"", "http://a/t", "kafka:///t", "kafka://a", "kafka://a/", "kafka://a/b c", "kafka://u:secret@a/t"}) {
    const auto refused = parse_kafka_url(wrong);
    ASSERT_FALSE(refused) << wrong;
    EXPECT_EQ(refused.error().exit, base::Exit::usage);
    EXPECT_EQ(refused.error().what.find("secret"), std::string::npos);
  }
}

TEST(Kafka, HandsOverWhatItWasGiven) {
  Cluster cluster;
  const auto sink = make(cluster);
  for (const std::string& host : test::hostile_names()) {
    const std::vector<model::Event> events = {test::hostile_event(host)};
    const Delivery sent = sink->deliver(events);
    ASSERT_EQ(sent.verdict, Delivery::Verdict::done) << sent.why;
  }
  auto source = KafkaSource::open(cluster.url(), "g", {});
  ASSERT_TRUE(source) << source.error().what;
  for (const std::string& host : test::hostile_names()) {
    const auto polled = next(**source);
    ASSERT_TRUE(polled);
    ASSERT_EQ(polled->events.size(), 1u);
    EXPECT_EQ(polled->events[0].origin->host, host);
    const std::vector<model::Event> sent = {test::hostile_event(host)};
    EXPECT_EQ(model::encode_block(polled->events), model::encode_block(sent));
  }
}

TEST(Kafka, GoesOnBehindWhatWasCommittedAndPassesOverTheUnreadable) {
  Cluster cluster;
  const auto sink = make(cluster);
  const auto send = [&](int n) {
    const std::vector<model::Event> events = {test::cpu_sample("router", n, {n, 1, 0, 0, 0.5, false})};
    EXPECT_EQ(sink->deliver(events).verdict, Delivery::Verdict::done);
  };
  send(0);
  char broken[] = "no message";
  KafkaConf conf(rd_kafka_conf_new());
  ASSERT_TRUE(kafka_set(conf.get(), "bootstrap.servers", rd_kafka_mock_cluster_bootstraps(cluster.mock)));
  char why[256];
  KafkaHandle other(rd_kafka_new(RD_KAFKA_PRODUCER, conf.release(), why, sizeof why));
  rd_kafka_producev(other.get(), RD_KAFKA_V_TOPIC("routers"), RD_KAFKA_V_VALUE(broken, sizeof broken),
                    RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY), RD_KAFKA_V_END);
  ASSERT_EQ(rd_kafka_flush(other.get(), 10000), RD_KAFKA_RESP_ERR_NO_ERROR);
  send(1);
  {
    auto source = KafkaSource::open(cluster.url(), "g", {});
    ASSERT_TRUE(source);
    ASSERT_TRUE(next(**source));
    const auto unread = next(**source);
    ASSERT_TRUE(unread);
    EXPECT_TRUE(unread->events.empty());
    EXPECT_EQ((*source)->unreadable(), 1u);
    const auto committed = (*source)->commit(*unread);
    ASSERT_TRUE(committed) << committed.error().what;
    EXPECT_TRUE(*committed);
    KafkaSource::Polled old = *unread;
    --old.assignment;
    const auto late = (*source)->commit(old);
    ASSERT_TRUE(late);
    EXPECT_FALSE(*late);
  }
  auto again = KafkaSource::open(cluster.url(), "g", {});
  ASSERT_TRUE(again);
  const auto second = next(**again);
  ASSERT_TRUE(second);
  ASSERT_EQ(second->events.size(), 1u);
  EXPECT_EQ(second->events[0].seq, 2u);
}

TEST(Kafka, TriesAgainWhileTheBrokerIsDown) {
  Cluster cluster;
  const auto sink = make(cluster);
  const std::vector<model::Event> events = {test::cpu_sample("router", 0, {1, 1, 0, 0, 0.5, false})};
  rd_kafka_mock_broker_set_down(cluster.mock, 1);
  EXPECT_EQ(sink->deliver(events).verdict, Delivery::Verdict::retry);
  rd_kafka_mock_broker_set_up(cluster.mock, 1);
  const Delivery sent = sink->deliver(events);
  EXPECT_EQ(sent.verdict, Delivery::Verdict::done) << sent.why;
}

}  // namespace
}  // namespace mikroscope::sinks
