// InfluxDB 1.6 as itself and, behind nginx, as the write address of version 3; VictoriaMetrics. Read back in
// their own query languages. Nothing newer than 1.6 could be had: versions 2 and 3 are tested by their
// requests.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "sinks/stores/line_protocol.h"
#include "sinks/stores/registry.h"
#include "tests/sinks/services/metric_service.h"
#include "tests/sinks/stores/http_get.h"
#include "tests/sinks/support/sample_events.h"
#include "tests/support/temp_dir.h"

namespace mikroscope::sinks {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using Verdict = Delivery::Verdict;

std::string escaped(const std::string& text) {
  char* const out = curl_easy_escape(nullptr, text.c_str(), static_cast<int>(text.size()));
  std::string kept = out;
  curl_free(out);
  return kept;
}

struct Influxd {
  mikroscope::test::TempDir dir;
  int port = test::free_port();
  int udp_port = test::free_port();
  std::unique_ptr<test::MetricService> server;
  std::string url = "http://127.0.0.1:" + std::to_string(port);

  Influxd() {
    const std::string config =
        "reporting-disabled = true\nbind-address = \"127.0.0.1:" + std::to_string(test::free_port()) +
        "\"\n[meta]\ndir = \"" + (dir / "meta") + "\"\n[data]\ndir = \"" + (dir / "data") +
        "\"\nwal-dir = \"" + (dir / "wal") +
        "\"\n[http]\nbind-address = \"127.0.0.1:" + std::to_string(port) +
        "\"\n[monitor]\nstore-enabled = false\n[subscriber]\nenabled = false\n" +
        "[[udp]]\nenabled = true\nbind-address = \"127.0.0.1:" + std::to_string(udp_port) +
        "\"\ndatabase = \"mk\"\nbatch-size = 1\n";
    test::write_all(dir / "influx.conf", config);
    server = std::make_unique<test::MetricService>(
        std::vector<std::string>{"influxd", "run", "-config", dir / "influx.conf"}, dir / "log");
    EXPECT_TRUE(test::poll_until(20, [this] { return test::http_get(url + "/ping").status == 204; }))
        << server->log();
    EXPECT_EQ(test::http_get(url + "/query?q=" + escaped("CREATE DATABASE mk"), {}, "POST").status, 200);
  }
  // The series of the first statement: [{"name","tags","columns","values"}].
  json query(const std::string& q) const {
    const test::Got got = test::http_get(url + "/query?db=mk&epoch=ns&q=" + escaped(q));
    const json answer = json::parse(got.body, nullptr, false);
    if (got.status != 200 || !answer.contains("results")) {
      ADD_FAILURE() << q << ": " << got.body;
      return json::array();
    }
    return answer["results"][0].value("series", json::array());
  }
  std::uint64_t rows(const std::string& measurement) const {
    const json series = query("SELECT * FROM " + measurement);
    return series.empty() ? 0 : series[0]["values"].size();
  }
};

std::unique_ptr<Sink> make(const SinkDef& def, const std::map<std::string, std::string>& given) {
  SinkValues values;
  for (const auto& [name, value] : given) values.set(name, value);
  auto sink = def.make(values);
  EXPECT_TRUE(sink.ok()) << sink.error().what;
  return std::move(*sink);
}

std::vector<model::Event> ticks(int count) {
  std::vector<model::Event> events;
  for (int n = 0; n < count; ++n)
    events.push_back(test::cpu_sample("router", n, {n, 10 - n % 10, 0, 0, n % 2 == 0 ? 0.25 : 0.75, false}));
  return events;
}

// Every measurement under every hostile name; each name at a time of its own, since some are stored alike.
std::vector<model::Event> hostile() {
  std::vector<model::Event> events;
  std::int64_t n = 0;
  for (const std::string& name : test::hostile_names())
    events.push_back(test::full_event("router", name, test::kStart + ++n));
  return events;
}

TEST(InfluxService, Version1StoresEverySampleAndAnswersQueries) {
  if (!test::installed("influxd")) GTEST_SKIP() << "influxd is not installed";
  const Influxd influxd;
  const auto sink = make(kInfluxSink, {{"influx", influxd.url}, {"influx-db", "mk"}});
  const auto check = sink->check();
  ASSERT_TRUE(check.ok()) << check.error().what;
  EXPECT_THAT(*check, HasSubstr("InfluxDB 1"));
  // Twice: a replay adds nothing.
  for (int round = 0; round < 2; ++round) {
    const Delivery delivery = sink->deliver(ticks(100));
    ASSERT_EQ(delivery.verdict, Verdict::done) << delivery.why;
    EXPECT_EQ(delivery.rejected, 0U) << delivery.rejected_why;
  }
  EXPECT_EQ(influxd.rows("mikroscope_cpu"), 100U);
  const json mean =
      influxd.query("SELECT mean(busy_ratio), sum(\"user\") FROM mikroscope_cpu WHERE host='router'");
  ASSERT_EQ(mean.size(), 1U);
  EXPECT_EQ(mean[0]["values"][0][1], 0.5);
  EXPECT_EQ(mean[0]["values"][0][2], 4950);
  const json keys = influxd.query("SHOW FIELD KEYS FROM mikroscope_cpu");
  EXPECT_EQ(keys[0]["values"],
            json::parse(R"([["busy_ratio","float"],["idle","integer"],["user","integer"]])"));
}

TEST(InfluxService, Version1RefusesNoNameWhateverItIs) {
  if (!test::installed("influxd")) GTEST_SKIP() << "influxd is not installed";
  const Influxd influxd;
  const auto sink = make(kInfluxSink, {{"influx", influxd.url}, {"influx-db", "mk"}});
  const std::vector<model::Event> events = hostile();
  const Delivery delivery = sink->deliver(events);
  ASSERT_EQ(delivery.verdict, Verdict::done) << delivery.why;
  EXPECT_EQ(delivery.rejected, 0U) << delivery.rejected_why;
  for (const model::ShapeTable& table : events[0].shape->tables()) {
    if (for_logs_only(*table.measurement)) continue;
    EXPECT_EQ(influxd.rows(model::store_name(*table.measurement)), events.size()) << table.measurement->name;
  }
  // Names come back as they were, but for what line protocol cannot hold.
  ASSERT_EQ(sink->deliver(std::vector<model::Event>{test::hostile_event("r")}).verdict, Verdict::done);
  const json tags = influxd.query("SHOW TAG VALUES FROM mikroscope_novel WITH KEY = \"name\"");
  ASSERT_EQ(tags.size(), 1U);
  std::vector<std::string> names;
  for (const json& row : tags[0]["values"]) names.push_back(row[1]);
  EXPECT_THAT(names, ::testing::UnorderedElementsAre("C:\\_", "a\\_,b", "a=b c,d", "a b", "\"q\"",
                                                     "\xF0\x9F\x98\x80", "\xEF\xBF\xBD",
                                                     "a\xEF\xBF\xBD"
                                                     "b"));
  const json notes = influxd.query("SELECT note FROM mikroscope_novel WHERE \"name\" = 'C:\\\\_'");
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_EQ(notes[0]["values"][0][1], "C:\\");
}

TEST(InfluxService, Version1CountsATypeThatDoesNotFitAndStoresTheRest) {
  if (!test::installed("influxd")) GTEST_SKIP() << "influxd is not installed";
  const Influxd influxd;
  ASSERT_EQ(test::http_get(influxd.url + "/write?db=mk", {}, {},
                           "mikroscope_novel,host=r hits=\"text\" 1789000000000000000")
                .status,
            204);
  const auto sink = make(kInfluxSink, {{"influx", influxd.url}, {"influx-db", "mk"}});
  std::vector<model::Event> events = ticks(3);
  const auto origin = events[0].origin;
  model::EventBuilder builder(model::EventKind::sample, origin, test::kStart + 5);
  builder.row(test::novel(), {"x"}).integer("hits", 1);
  events.push_back(builder.finish());
  const Delivery delivery = sink->deliver(events);
  EXPECT_EQ(delivery.verdict, Verdict::done) << delivery.why;
  EXPECT_EQ(delivery.rejected, 1U);
  EXPECT_THAT(delivery.rejected_why, HasSubstr("field type conflict"));
  EXPECT_EQ(influxd.rows("mikroscope_cpu"), 3U);
}

TEST(InfluxService, ADatabaseThatIsMissingIsNamed) {
  if (!test::installed("influxd")) GTEST_SKIP() << "influxd is not installed";
  const Influxd influxd;
  const auto sink = make(kInfluxSink, {{"influx", influxd.url}, {"influx-db", "nope"}});
  EXPECT_FALSE(sink->check().ok());
  const Delivery delivery = sink->deliver(ticks(1));
  EXPECT_EQ(delivery.verdict, Verdict::fatal);
  EXPECT_THAT(delivery.why, HasSubstr("nope"));
}

TEST(InfluxService, Version3ByItsAddressAndToken) {
  if (!test::installed("influxd")) GTEST_SKIP() << "influxd is not installed";
  const std::string nginx = std::filesystem::exists("/usr/sbin/nginx") ? "/usr/sbin/nginx" : "nginx";
  if (nginx == "nginx" && !test::installed(nginx)) GTEST_SKIP() << "nginx is not installed";
  const Influxd influxd;
  const mikroscope::test::TempDir dir;
  const int port = test::free_port();
  std::string config = "daemon off;\nworker_processes 1;\npid " + (dir / "pid") +
                       ";\nerror_log stderr;\nevents {}\nhttp {\n access_log off;\n";
  for (const char* kind : {"client_body", "proxy", "fastcgi", "uwsgi", "scgi"})
    config += std::string(kind) + "_temp_path " + (dir / kind) + ";\n";
  config +=
      "client_max_body_size 16m;\n"
      "map $arg_precision $prec { nanosecond n; default bad; }\n"
      "map $http_authorization $denied { \"Bearer tok\" 0; default 1; }\n"
      "server { listen 127.0.0.1:" +
      std::to_string(port) +
      ";\n"
      "location = /api/v3/write_lp { if ($denied) { return 401; } rewrite ^ "
      "/write?db=$arg_db&precision=$prec? break; "
      "proxy_pass " +
      influxd.url +
      "; }\n"
      "location / { return 404; } } }\n";
  test::write_all(dir / "nginx.conf", config);
  const test::MetricService server({nginx, "-c", dir / "nginx.conf", "-p", dir.path()}, dir / "log");
  ASSERT_TRUE(test::poll_until(20, [&] { return test::accepts(port); })) << server.log();

  const std::string url = "http://127.0.0.1:" + std::to_string(port);
  const auto sink = make(kInfluxSink, {{"influx", url}, {"influx-db", "mk"}, {"influx-token", "tok"}});
  const auto check = sink->check();
  ASSERT_TRUE(check.ok()) << check.error().what;
  EXPECT_THAT(*check, HasSubstr("InfluxDB 3"));
  const Delivery delivery = sink->deliver(ticks(500));  // compressed
  ASSERT_EQ(delivery.verdict, Verdict::done) << delivery.why;
  EXPECT_EQ(influxd.rows("mikroscope_cpu"), 500U);

  const auto denied = make(kInfluxSink, {{"influx", url}, {"influx-db", "mk"}, {"influx-token", "wrong"}});
  const auto refused = denied->check();
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().exit, base::Exit::auth);
  EXPECT_EQ(denied->deliver(ticks(1)).verdict, Verdict::fatal);
}

TEST(InfluxService, TelegrafsDatagramsAreReadByInfluxdsListener) {
  if (!test::installed("influxd")) GTEST_SKIP() << "influxd is not installed";
  const Influxd influxd;
  const auto sink =
      make(kTelegrafSink, {{"telegraf", "udp://127.0.0.1:" + std::to_string(influxd.udp_port)}});
  ASSERT_EQ(sink->deliver(ticks(50)).verdict, Verdict::done);
  EXPECT_TRUE(test::poll_until(20, [&] { return influxd.rows("mikroscope_cpu") == 50; }))
      << influxd.rows("mikroscope_cpu");
}

TEST(InfluxService, VictoriaMetricsReadsEveryLine) {
  if (!test::installed("victoria-metrics")) GTEST_SKIP() << "victoria-metrics is not installed";
  const mikroscope::test::TempDir dir;
  const int port = test::free_port();
  const std::string url = "http://127.0.0.1:" + std::to_string(port);
  const test::MetricService server(
      {"victoria-metrics", "-storageDataPath=" + (dir / "data"),
       "-httpListenAddr=127.0.0.1:" + std::to_string(port), "-memory.allowedBytes=64MB",
       "-retentionPeriod=100y", "-search.latencyOffset=0s", "-search.disableCache"},
      dir / "log");
  ASSERT_TRUE(test::poll_until(20, [&] { return test::http_get(url + "/health").status == 200; }))
      << server.log();
  const auto sink = make(kInfluxSink, {{"influx", url}, {"influx-db", "mk"}, {"influx-version", "1"}});
  ASSERT_EQ(sink->deliver(ticks(100)).verdict, Verdict::done);
  const std::vector<model::Event> strange = hostile();
  ASSERT_EQ(sink->deliver(strange).verdict, Verdict::done);
  // It answers 204 to everything; this is where it tells.
  const std::string metrics = test::http_get(url + "/metrics").body;
  EXPECT_THAT(metrics, HasSubstr("vm_rows_invalid_total{type=\"influx\"} 0\n"));
  ASSERT_EQ(test::http_get(url + "/internal/force_flush").status, 200);
  const std::string exported = test::http_get(url + "/api/v1/export?match[]=" +
                                              escaped("mikroscope_cpu_user{host=\"router\",cpu=\"0\"}"))
                                   .body;
  const json series = json::parse(exported, nullptr, false);
  ASSERT_TRUE(series.is_object()) << exported;
  ASSERT_EQ(series["values"].size(), 100U);
  double sum = 0;
  for (const json& value : series["values"]) sum += value.get<double>();
  EXPECT_EQ(sum, 4950);
}

}  // namespace
}  // namespace mikroscope::sinks
