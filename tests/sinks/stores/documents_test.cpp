// What Loki and Elasticsearch are sent, and how their answers are taken. Neither server is at hand here: the
// answers are as their documentation gives them.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "sinks/pipeline/loss.h"
#include "sinks/stores/elastic_documents.h"
#include "sinks/stores/loki_streams.h"
#include "sinks/stores/registry.h"
#include "tests/sinks/support/fault_server.h"
#include "tests/sinks/support/sample_events.h"

namespace mikroscope::sinks {
namespace {

using Json = nlohmann::json;
using test::cpu_sample;
using test::kStart;
using Verdict = Delivery::Verdict;

std::unique_ptr<Sink> made(const SinkDef& def, const std::string& url) {
  SinkValues values;
  values.set(def.name, url);
  auto sink = def.make(values);
  EXPECT_TRUE(sink.ok());
  return std::move(*sink);
}

TEST(LokiPush, SendsEventsWithTextAndNothingElse) {
  const model::Event sample = cpu_sample("router", 0, {3, 7});
  const std::vector<model::Event> events = {sample, gap_event(sample.origin, 2, 5, "ring", kStart)};
  EXPECT_EQ(
      loki_push(events, false),
      "{\"streams\":[{\"stream\":{\"host\":\"router\",\"source\":\"gap\",\"level\":\"warn\"},\"values\":"
      "[[\"1789000000000000000\",\"4 samples are lost, 2 to 5 (ring) reason=ring from=2 to=5 count=4\","
      "{\"reason\":\"ring\",\"from\":\"2\",\"to\":\"5\",\"count\":\"4\"}]]}]}");
  EXPECT_EQ(loki_push({&events[0], 1}, false), "");
}

TEST(LokiPush, QuotesAndSurvivesHostileNames) {
  EXPECT_EQ(logfmt_value("plain"), "plain");
  EXPECT_EQ(logfmt_value(""), "\"\"");
  EXPECT_EQ(logfmt_value("a=b c"), "\"a=b c\"");
  EXPECT_EQ(logfmt_value("C:\\"), "\"C:\\\\\"");
  std::vector<model::Event> events = {test::hostile_event("router")};
  EXPECT_TRUE(Json::accept(loki_push(events, true)));
}

TEST(LokiSink, DropsWhatIsTooOld) {
  test::FaultServer server;
  server.answer({{400, "entry too far behind, total ignored: 1 out of 1"}, {503, "busy"}, {204}});
  const auto sink = made(kLokiSink, server.url());
  const model::Event sample = cpu_sample("router", 0, {3, 7});
  const std::vector<model::Event> events = {gap_event(sample.origin, 2, 5, "ring", kStart)};
  const Delivery late = sink->deliver(events);
  EXPECT_EQ(late.verdict, Verdict::done);
  EXPECT_EQ(late.rejected, 1U);
  EXPECT_EQ(sink->deliver(events).verdict, Verdict::retry);
  EXPECT_EQ(sink->deliver(events).verdict, Verdict::done);
  EXPECT_EQ(server.asked()[0].url, "/loki/api/v1/push");
}

TEST(ElasticDocuments, OneForEachRowWithAnIdOfItsOwn) {
  std::vector<BulkItem> items;
  bulk_items(cpu_sample("r.1", 0, {3, 7, 0, 0, 1.0}), "Mikroscope-%Y.%m.%d", items);
  ASSERT_EQ(items.size(), 1U);
  EXPECT_EQ(
      items[0].text,
      "{\"create\":{\"_index\":\"mikroscope-2026.09.10\",\"_id\":\"sample.r%2E1.1789000000000000000.1.cpu."
      "0\"}}\n"
      "{\"@timestamp\":\"2026-09-10T00:26:40.000000000Z\",\"host\":\"r.1\",\"kind\":\"sample\",\"seq\":1,"
      "\"measurement\":\"cpu\",\"cpu\":{\"cpu\":0,\"user\":3,\"idle\":7,\"busy_ratio\":1.0}}\n");
  items.clear();
  bulk_items(test::hostile_event("router"), "m", items);
  std::set<std::string> ids;
  for (const BulkItem& item : items) {
    const std::size_t end = item.text.find('\n');
    ids.insert(Json::parse(item.text.substr(0, end))["create"]["_id"].get<std::string>());
    EXPECT_TRUE(Json::accept(item.text.substr(end + 1)));
  }
  EXPECT_EQ(ids.size(), test::hostile_names().size());
  EXPECT_TRUE(Json::accept(index_template("mikroscope-%Y.%m.%d")));
}

TEST(ElasticSink, ReadsTheVerdictOfEachItem) {
  test::FaultServer server;
  server.answer({{200, R"({"errors":true,"items":[{"create":{"status":429,"error":{"type":"busy"}}},)"
                       R"({"create":{"status":400,"error":{"type":"mapper"}}},{"create":{"status":409}}]})"},
                 {200, R"({"errors":false,"items":[{"create":{"status":201}}]})"}});
  const auto sink = made(kElasticSink, server.url());
  const std::vector<model::Event> events = {cpu_sample("r", 0, {}), cpu_sample("r", 1, {}),
                                            cpu_sample("r", 2, {})};
  const Delivery delivery = sink->deliver(events);
  EXPECT_EQ(delivery.verdict, Verdict::done) << delivery.why;
  EXPECT_EQ(delivery.rejected, 1U);
  EXPECT_EQ(delivery.rejected_why, "400: {\"type\":\"mapper\"}");
  ASSERT_EQ(server.asked().size(), 2U);
  EXPECT_EQ(server.asked()[0].url, "/_bulk");
  EXPECT_EQ(server.asked()[0].header("content-type"), "application/x-ndjson");
  // Only the first again.
  EXPECT_NE(server.asked()[1].body.find("\"_id\":\"sample.r.1789000000000000000.1.cpu.0\""),
            std::string::npos);
}

}  // namespace
}  // namespace mikroscope::sinks
