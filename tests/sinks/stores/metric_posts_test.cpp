// What remote write and OTLP make of a store's answers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <snappy.h>
#include <zlib.h>

#include "sinks/stores/otlp.h"
#include "sinks/stores/remote_write.h"
#include "tests/sinks/stores/canned_store.h"
#include "tests/sinks/stores/metric_events.h"

namespace mikroscope::sinks {
namespace {

using test::CannedStore;
using testing::HasSubstr;
using testing::Not;
using Verdict = Delivery::Verdict;

std::unique_ptr<Sink> make(const SinkDef& def, std::map<std::string, std::string> options) {
  SinkValues values;
  for (auto& [name, value] : options) values.set(name, value);
  auto sink = def.make(values);
  EXPECT_TRUE(sink) << sink.error().what;
  return std::move(*sink);
}

std::vector<model::Event> two() {
  return {test::cpu_sample("router", 0, {7, 3, 0, 0, 0.7, false}),
          test::cpu_sample("router", 1, {2, 8, 0, 0, 0.2, false})};
}

model::Event log_event() {
  const auto origin = std::make_shared<const model::Origin>(model::Origin{"router", "one", "boot"});
  model::EventBuilder builder(model::EventKind::log, origin, test::kStart);
  builder.row(test::kernel("event"), {"812"}).integer("level", 4).text("message", "eth1: link up");
  builder.row(test::kernel("kmsg"), {"warn", "", "", "", ""}).integer("count", 1);
  return builder.finish();
}

TEST(RemoteWriteSink, SendsWhatTheProtocolAsks) {
  CannedStore store;
  const auto sink = make(kRemoteWriteSink, {{"remote-write", store.url()}, {"remote-write-token", "geheim"}});
  EXPECT_EQ(sink->name(), "remote-write " + store.url() + "/api/v1/write");
  EXPECT_EQ(sink->deliver(two()).verdict, Verdict::done);
  const auto requests = store.requests();
  ASSERT_EQ(requests.size(), 1U);
  for (const char* const header :
       {"POST /api/v1/write HTTP/1.1", "Content-Type: application/x-protobuf", "Content-Encoding: snappy",
        "X-Prometheus-Remote-Write-Version: 0.1.0", "Authorization: Bearer geheim"})
    EXPECT_THAT(requests[0].head, HasSubstr(header));
  std::string plain;
  ASSERT_TRUE(snappy::Uncompress(requests[0].body.data(), requests[0].body.size(), &plain));
  EXPECT_THAT(plain, HasSubstr("mikroscope_cpu_ticks_total"));
}

TEST(RemoteWriteSink, TakesUserAndPasswordFromTheUrl) {
  CannedStore store;
  const auto sink =
      make(kRemoteWriteSink, {{"remote-write", "http://me:geheim@" + store.url().substr(7) + "/push?a=b"}});
  EXPECT_EQ(sink->name(), "remote-write " + store.url() + "/push?a=b");
  EXPECT_EQ(sink->deliver(two()).verdict, Verdict::done);
  EXPECT_THAT(store.requests().at(0).head, HasSubstr("Authorization: Basic bWU6Z2VoZWlt"));
  EXPECT_THAT(store.requests().at(0).head, HasSubstr("POST /push?a=b HTTP/1.1"));
}

TEST(RemoteWriteSink, RepeatsTheSameBytes) {
  CannedStore store;
  const auto sink = make(kRemoteWriteSink, {{"remote-write", store.url()}});
  store.answer("503 Busy\r\nRetry-After: 7", "later");
  store.answer("429 Slow Down");
  const Delivery busy = sink->deliver(two());
  EXPECT_EQ(busy.verdict, Verdict::retry);
  EXPECT_EQ(busy.retry_after_ns, 7'000'000'000);
  EXPECT_EQ(sink->deliver(two()).verdict, Verdict::retry);
  EXPECT_EQ(sink->deliver(two()).verdict, Verdict::done);
  const auto requests = store.requests();
  ASSERT_EQ(requests.size(), 3U);
  EXPECT_EQ(requests[0].body, requests[1].body);
  EXPECT_EQ(requests[0].body, requests[2].body);
}

// Sums of what the collector adds up are right after a batch came in halves.
TEST(RemoteWriteSink, AddsUpOnceWhateverTheBatches) {
  CannedStore whole_store, store;
  const auto whole = make(kRemoteWriteSink, {{"remote-write", whole_store.url()}});
  const auto sink = make(kRemoteWriteSink, {{"remote-write", store.url()}});
  const auto events = two();
  store.answer("413 Too Large");
  EXPECT_EQ(sink->deliver(events).verdict, Verdict::split);
  EXPECT_EQ(sink->deliver(std::span(events).subspan(0, 1)).verdict, Verdict::done);
  EXPECT_EQ(sink->deliver(std::span(events).subspan(1, 1)).verdict, Verdict::done);
  EXPECT_EQ(whole->deliver(std::span(events).subspan(0, 1)).verdict, Verdict::done);
  EXPECT_EQ(whole->deliver(std::span(events).subspan(1, 1)).verdict, Verdict::done);
  EXPECT_EQ(store.requests().at(2).body, whole_store.requests().at(1).body);
}

TEST(RemoteWriteSink, RejectsWhatCanNeverBeTaken) {
  CannedStore store;
  const auto sink = make(kRemoteWriteSink, {{"remote-write", store.url()}});
  store.answer("400 Bad Request", "out of order sample");
  const Delivery refused = sink->deliver(two());
  EXPECT_EQ(refused.verdict, Verdict::reject);
  EXPECT_EQ(refused.why, "HTTP 400: out of order sample");
  store.answer("401 Unauthorized");
  EXPECT_EQ(sink->deliver(two()).verdict, Verdict::fatal);
}

TEST(RemoteWriteSink, ChecksWithoutWriting) {
  CannedStore store;
  const auto sink = make(kRemoteWriteSink, {{"remote-write", store.url()}});
  EXPECT_TRUE(sink->check());
  EXPECT_EQ(store.requests().at(0).body, std::string("\0", 1));
  store.answer("401 Unauthorized");
  EXPECT_EQ(sink->check().error().exit, base::Exit::auth);
  store.answer("404 Not Found");
  EXPECT_THAT(sink->check().error().fix, HasSubstr("--web.enable-remote-write-receiver"));
}

TEST(RemoteWriteSink, SendsOneValueOfAMillisecond) {
  CannedStore store;
  const auto sink = make(kRemoteWriteSink, {{"remote-write", store.url()}});
  auto events = two();
  events[1].wall_ns = events[0].wall_ns + 999'999;
  EXPECT_EQ(sink->deliver(events).rejected, 0U);  // the later one stands
  auto late = test::cpu_sample("router", 1, {2, 8, 0, 0, 0.2, false});
  late.wall_ns = events[0].wall_ns + 1;
  const Delivery again = sink->deliver(std::vector<model::Event>{late});
  EXPECT_EQ(again.verdict, Verdict::done);
  EXPECT_GT(again.rejected, 0U);
  EXPECT_THAT(again.rejected_why, HasSubstr("one millisecond"));
}

TEST(OtlpSink, PostsMetricsAndLogsBesideThem) {
  CannedStore store;
  const auto sink =
      make(kOtlpSink, {{"otlp", store.url()}, {"otlp-encoding", "json"}, {"otlp-token", "geheim"}});
  auto events = two();
  events.push_back(log_event());
  EXPECT_EQ(sink->deliver(events).verdict, Verdict::done);
  const auto requests = store.requests();
  ASSERT_EQ(requests.size(), 2U);
  EXPECT_THAT(requests[0].head, HasSubstr("POST /v1/metrics HTTP/1.1"));
  EXPECT_THAT(requests[0].head, HasSubstr("Content-Type: application/json"));
  EXPECT_THAT(requests[0].head, HasSubstr("Content-Encoding: gzip"));
  EXPECT_THAT(requests[0].head, HasSubstr("Authorization: Bearer geheim"));
  EXPECT_THAT(requests[1].head, HasSubstr("POST /v1/logs HTTP/1.1"));
  EXPECT_THAT(requests[1].body, HasSubstr(R"("body":{"stringValue":"eth1: link up"})"));
}

// The official list: 429, 502, 503 and 504 are worth another attempt, others are not.
TEST(OtlpSink, RepeatsOnlyWhatTheProtocolNames) {
  CannedStore store;
  const auto sink = make(kOtlpSink, {{"otlp", store.url() + "/v1/metrics"}});
  for (const auto& [status, verdict] :
       std::vector<std::pair<std::string, Verdict>>{{"429 x", Verdict::retry},
                                                    {"502 x", Verdict::retry},
                                                    {"503 x\r\nRetry-After: 3", Verdict::retry},
                                                    {"504 x", Verdict::retry},
                                                    {"500 x", Verdict::reject},
                                                    {"408 x", Verdict::reject},
                                                    {"400 x", Verdict::reject},
                                                    {"413 x", Verdict::split},
                                                    {"403 x", Verdict::fatal}}) {
    store.answer(status);
    EXPECT_EQ(sink->deliver(two()).verdict, verdict) << status;
  }
  const auto requests = store.requests();
  EXPECT_EQ(requests[0].body, requests[1].body);
}

TEST(OtlpSink, CountsPartialSuccess) {
  CannedStore store;
  const auto sink = make(kOtlpSink, {{"otlp", store.url()}, {"otlp-encoding", "json"}});
  store.answer("200 OK", R"({"partialSuccess":{"rejectedDataPoints":"4","errorMessage":"too old"}})");
  auto events = two();
  events.push_back(log_event());
  store.answer("404 Not Found");  // a receiver of metrics only
  const Delivery delivery = sink->deliver(events);
  EXPECT_EQ(delivery.verdict, Verdict::done);
  EXPECT_EQ(delivery.rejected, 5U);  // four points and the one record
  EXPECT_EQ(delivery.rejected_why, "too old");
}

// Metrics that are stored are not sent again for the logs' sake.
TEST(OtlpSink, RepeatsTheHalfThatFailed) {
  CannedStore store;
  const auto sink = make(kOtlpSink, {{"otlp", store.url()}});
  store.answer("200 OK");
  store.answer("503 Busy");
  const std::vector<model::Event> events = {log_event()};
  EXPECT_EQ(sink->deliver(events).verdict, Verdict::retry);
  EXPECT_EQ(sink->deliver(events).verdict, Verdict::done);
  const auto requests = store.requests();
  ASSERT_EQ(requests.size(), 3U);
  EXPECT_THAT(requests[0].head, HasSubstr("/v1/metrics"));
  EXPECT_THAT(requests[1].head, HasSubstr("/v1/logs"));
  EXPECT_THAT(requests[2].head, HasSubstr("/v1/logs"));
}

TEST(MetricSinks, RefuseWrongValuesByName) {
  SinkValues values;
  values.set("remote-write", "nonsense");
  EXPECT_THAT(kRemoteWriteSink.make(values).error().what, HasSubstr("--remote-write"));
  values.set("remote-write", "http://127.0.0.1:1");
  values.set("remote-write-step", "x");
  EXPECT_THAT(kRemoteWriteSink.make(values).error().what, HasSubstr("--remote-write-step"));
  values.set("otlp", "ftp://me:geheim@127.0.0.1");
  const base::Error error = kOtlpSink.make(values).error();
  EXPECT_THAT(error.what, HasSubstr("--otlp"));
  EXPECT_THAT(error.what + error.fix, Not(HasSubstr("geheim")));
}

}  // namespace
}  // namespace mikroscope::sinks
