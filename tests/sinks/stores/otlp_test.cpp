#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "sinks/stores/otlp_points.h"
#include "tests/sinks/stores/metric_events.h"

namespace mikroscope::sinks {
namespace {

using test::cpu_sample;
using test::kBoot;
using test::kStart;

constexpr std::int64_t kTick = 100'000'000;

const OtlpMetric* metric(const OtlpMetrics& metrics, const std::string& name) {
  for (const auto& host : metrics) {
    for (const OtlpMetric& m : host.items) {
      if (m.name == name) return &m;
    }
  }
  return nullptr;
}

std::vector<OtlpPoint> points(const OtlpMetrics& metrics, const std::string& name, const std::string& value) {
  std::vector<OtlpPoint> out;
  const OtlpMetric* const m = metric(metrics, name);
  if (m == nullptr) return out;
  for (const OtlpPoint& p : m->points) {
    for (const auto& [key, text] : *p.attributes->labels) {
      if (text == value) out.push_back(p);
    }
  }
  return out;
}

TEST(Otlp, CountsFromTheRoutersBoot) {
  OtlpPoints otlp(false);
  const std::vector<model::Event> events = {cpu_sample("router", 0, {7, 3, 1007, 2003, 0.7, true}),
                                            cpu_sample("router", 1, {2, 8, 1009, 2011, 0.2, true})};
  const OtlpMetrics metrics = otlp.take(events);
  const auto user = points(metrics, "mikroscope.cpu.ticks", "user");
  ASSERT_EQ(user.size(), 2U);
  EXPECT_EQ(user[0].value.integer, 1007);
  EXPECT_EQ(user[1].value.integer, 1009);
  for (const OtlpPoint& p : user) EXPECT_EQ(p.start_ns, kStart - kBoot);
  EXPECT_EQ(user[1].time_ns, kStart + kTick);
  EXPECT_EQ(metric(metrics, "mikroscope.cpu.ticks")->kind, OtlpKind::cumulative);
  // A gauge has no start.
  const auto ratio = points(metrics, "mikroscope.cpu.busy_ratio", "0");
  ASSERT_EQ(ratio.size(), 2U);
  EXPECT_EQ(ratio[0].start_ns, 0);
  EXPECT_DOUBLE_EQ(ratio[1].value.real, 0.2);
}

// The counter began again somewhere after the sample before.
TEST(Otlp, MovesTheStartWhenACounterBeginsAgain) {
  OtlpPoints otlp(false);
  model::Event reset = cpu_sample("router", 1, {0, 8, 0, 2011, 0.2, true});
  const auto user_slot = static_cast<std::uint32_t>(reset.shape->find("cpu")->measurement->field("user"));
  reset.present[user_slot] = 0;
  reset.odd.push_back({user_slot, proc::DeltaKind::reset});
  const std::vector<model::Event> events = {cpu_sample("router", 0, {7, 3, 1007, 2003, 0.7, true}), reset,
                                            cpu_sample("router", 2, {5, 8, 5, 2019, 0.2, true})};
  const OtlpMetrics metrics = otlp.take(events);
  const auto user = points(metrics, "mikroscope.cpu.ticks", "user");
  ASSERT_EQ(user.size(), 2U);
  EXPECT_EQ(user[0].start_ns, kStart - kBoot);
  EXPECT_EQ(user[1].start_ns, kStart);
  EXPECT_EQ(user[1].value.integer, 5);
  const auto idle = points(metrics, "mikroscope.cpu.ticks", "idle");
  EXPECT_EQ(idle[2].start_ns, kStart - kBoot);
}

TEST(Otlp, StartsAnewWithTheRouter) {
  OtlpPoints otlp(false);
  otlp.take(std::vector<model::Event>{cpu_sample("router", 0, {7, 3, 1007, 2003, 0.7, true})});
  otlp.commit();
  model::Event after = cpu_sample("router", 600, {1, 1, 40, 50, 0.5, true});
  after.origin = std::make_shared<const model::Origin>(model::Origin{"router", "two", "other"});
  after.boot_ns = 20'000'000'000;
  const OtlpMetrics metrics = otlp.take(std::vector<model::Event>{after});
  EXPECT_EQ(points(metrics, "mikroscope.cpu.ticks", "user").at(0).start_ns, kStart + 40'000'000'000);
}

TEST(Otlp, SendsDifferencesWhenAsked) {
  OtlpPoints otlp(true);
  const std::vector<model::Event> events = {cpu_sample("router", 0, {7, 3, 1007, 2003, 0.7, true}),
                                            cpu_sample("router", 1, {2, 8, 1009, 2011, 0.2, true})};
  const OtlpMetrics metrics = otlp.take(events);
  const auto user = points(metrics, "mikroscope.cpu.ticks", "user");
  ASSERT_EQ(user.size(), 2U);
  EXPECT_EQ(user[0].value.integer, 7);
  EXPECT_EQ(user[1].value.integer, 2);
  EXPECT_EQ(user[1].start_ns, kStart);
  EXPECT_EQ(user[1].time_ns, kStart + kTick);
  EXPECT_EQ(metric(metrics, "mikroscope.cpu.ticks")->kind, OtlpKind::delta);
}

model::Event running(std::int64_t n, std::int64_t total) {
  const auto origin = std::make_shared<const model::Origin>(model::Origin{"router", "", ""});
  model::EventBuilder builder(model::EventKind::api, origin, kStart + n * 1'000'000'000);
  builder.row(test::novel(), {"x"}).integer("total", total);
  return builder.finish();
}

// A device's own counter that starts over: the start moves to the last time it was seen before.
TEST(Otlp, FollowsRunningCounters) {
  OtlpPoints otlp(false);
  const std::vector<model::Event> events = {running(0, 100), running(1, 130), running(2, 4), running(3, 9)};
  const OtlpMetrics metrics = otlp.take(events);
  const auto total = points(metrics, "mikroscope.novel.total", "x");
  ASSERT_EQ(total.size(), 4U);
  EXPECT_EQ(total[1].value.integer, 130);
  EXPECT_EQ(total[1].start_ns, total[0].start_ns);
  EXPECT_LT(total[0].start_ns, total[0].time_ns);
  EXPECT_EQ(total[2].start_ns, kStart + 1'000'000'000);
  EXPECT_EQ(total[3].start_ns, kStart + 1'000'000'000);

  OtlpPoints differences(true);
  const OtlpMetrics delta = differences.take(events);
  const auto grown = points(delta, "mikroscope.novel.total", "x");
  ASSERT_EQ(grown.size(), 3U);  // nothing to compare the first with
  EXPECT_EQ(grown[0].value.integer, 30);
  EXPECT_EQ(grown[1].value.integer, 4);
  EXPECT_EQ(grown[2].value.integer, 5);
}

// A batch that the store did not take is rendered to the same bytes again.
TEST(Otlp, TakesBackWhatWasNotSent) {
  OtlpPoints otlp(false);
  const std::vector<model::Event> first = {cpu_sample("router", 0, {7, 3, 0, 0, 0.7, false}),
                                           running(0, 100)};
  otlp.take(first);
  otlp.commit();
  const std::vector<model::Event> next = {cpu_sample("router", 1, {2, 8, 0, 0, 0.2, false}), running(1, 90)};
  const std::string once = otlp_json(otlp.take(next));
  otlp.roll_back();
  EXPECT_EQ(otlp_json(otlp.take(next)), once);
  EXPECT_NE(once.find(R"("asInt":"9")"), std::string::npos);  // 7 + 2, not 7 + 2 + 2
}

TEST(Otlp, WritesIntegersOfJsonAsText) {
  const Labels labels = {{"cpu", "0"}, {"host.name", "router"}, {"mode", "a\"\\\n"}};
  const OtlpAttributes of{&labels, {}, {}};
  OtlpMetric sum{"mikroscope.cpu.ticks", "{tick}", "CPU time", OtlpKind::cumulative, {}};
  sum.points.push_back({&of, 10, 1'789'000'000'000'000'000, Number::of(std::int64_t{9007199254740993})});
  OtlpMetric gauge{"mikroscope.load", "1", "load", OtlpKind::gauge, {}};
  gauge.points.push_back({&of, 0, 20, Number::of(0.25)});
  const std::string json = otlp_json(OtlpMetrics{{"router", {sum, gauge}}});
  const std::string attributes =
      R"("attributes":[{"key":"cpu","value":{"stringValue":"0"}},{"key":"mode","value":{"stringValue":"a\"\\\u000a"}}])";
  const std::string version = MIKROSCOPE_VERSION;
  EXPECT_EQ(
      json,
      R"({"resourceMetrics":[{"resource":{"attributes":[{"key":"host.name","value":{"stringValue":"router"}},)"
      R"({"key":"service.name","value":{"stringValue":"mikroscope"}},)"
      R"({"key":"service.version","value":{"stringValue":")" +
          version + R"("}}]},"scopeMetrics":[{"scope":{"name":"mikroscope","version":")" + version +
          R"("},"metrics":[{"name":"mikroscope.cpu.ticks","description":"CPU time","unit":"{tick}",)"
          R"("sum":{"dataPoints":[{)" +
          attributes +
          R"(,"startTimeUnixNano":"10","timeUnixNano":"1789000000000000000","asInt":"9007199254740993"}],)"
          R"("aggregationTemporality":2,"isMonotonic":true}},)"
          R"({"name":"mikroscope.load","description":"load","unit":"1","gauge":{"dataPoints":[{)" +
          attributes + R"(,"timeUnixNano":"20","asDouble":0.25}]}}]}]}]})");
}

TEST(Otlp, MakesLogsOfLogMeasurements) {
  const auto origin = std::make_shared<const model::Origin>(model::Origin{"router", "one", "boot"});
  model::EventBuilder builder(model::EventKind::log, origin, kStart);
  builder.row(test::kernel("event"), {"812"})
      .integer("level", 4)
      .integer("facility", 0)
      .text("message", "eth1: link\nup \xE4")
      .text("port", "ether2");
  builder.row(test::kernel("kmsg"), {"warn", "ether2", "other", "", ""}).integer("count", 1);
  model::Event event = builder.finish();
  const OtlpLogs logs = otlp_logs(std::vector<model::Event>{event});
  ASSERT_EQ(logs.size(), 1U);
  ASSERT_EQ(logs[0].items.size(), 1U);
  EXPECT_EQ(logs[0].items[0].body, "eth1: link\nup \xEF\xBF\xBD");
  EXPECT_EQ(logs[0].items[0].severity, 13);
  EXPECT_EQ(logs[0].items[0].severity_text, "warn");
  const nlohmann::json json = nlohmann::json::parse(otlp_json(logs));
  const auto& record = json["resourceLogs"][0]["scopeLogs"][0]["logRecords"][0];
  EXPECT_EQ(record["timeUnixNano"], "1789000000000000000");
  EXPECT_EQ(record["attributes"][1]["key"], "kernel_seq");
  EXPECT_EQ(record["attributes"][1]["value"]["stringValue"], "812");
  EXPECT_EQ(record["attributes"][2]["value"]["intValue"], "4");
  event.repeat = true;
  EXPECT_TRUE(otlp_logs(std::vector<model::Event>{event}).empty());
}

TEST(Otlp, ReadsPartialSuccessOfBothEncodings) {
  EXPECT_EQ(otlp_partial("").rejected, 0U);
  EXPECT_EQ(otlp_partial("{}").rejected, 0U);
  EXPECT_EQ(
      otlp_partial(R"({"partialSuccess":{"rejectedDataPoints":"7","errorMessage":"too old"}})").rejected, 7U);
  EXPECT_EQ(otlp_partial(R"({"partialSuccess":{"rejectedDataPoints":7,"errorMessage":"too old"}})").why,
            "too old");
  EXPECT_EQ(otlp_partial(R"({"partialSuccess":{"rejectedLogRecords":"2"}})").rejected, 2U);
  EXPECT_EQ(otlp_partial(R"({"partialSuccess":null})").rejected, 0U);
  EXPECT_EQ(otlp_partial("<html>").rejected, 0U);
  const std::string proto("\x0A\x06\x08\x03\x12\x02no", 8);  // 1 { 1: 3, 2: "no" }
  EXPECT_EQ(otlp_partial(proto).rejected, 3U);
  EXPECT_EQ(otlp_partial(proto).why, "no");
  EXPECT_EQ(otlp_partial("\xFF\xFF\xFF").rejected, 0U);
}

TEST(Otlp, TakesHostileNames) {
  std::vector<model::Event> events;
  for (const std::string& host : test::hostile_names()) events.push_back(test::hostile_event(host));
  OtlpPoints otlp(false);
  const OtlpMetrics metrics = otlp.take(events);
  EXPECT_EQ(metrics.size(), test::hostile_names().size());
  const nlohmann::json json = nlohmann::json::parse(otlp_json(metrics), nullptr, false);
  ASSERT_FALSE(json.is_discarded());
  EXPECT_EQ(json["resourceMetrics"].size(), metrics.size());
}

}  // namespace
}  // namespace mikroscope::sinks
