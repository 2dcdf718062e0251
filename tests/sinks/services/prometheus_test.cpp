// The exposition, scraped by Prometheus; remote write into Prometheus and VictoriaMetrics.
#include "sinks/stores/prometheus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "sinks/stores/exposition.h"
#include "sinks/stores/remote_write.h"
#include "tests/sinks/services/metric_service.h"
#include "tests/sinks/stores/http_get.h"
#include "tests/sinks/stores/metric_events.h"
#include "tests/support/temp_dir.h"

namespace mikroscope::sinks {
namespace {

using nlohmann::json;
using test::free_port;
using test::http_get;
using test::MetricService;
using test::poll_until;
using testing::HasSubstr;

constexpr std::int64_t kTick = 100'000'000;

std::string quoted(const std::string& text) {
  char* const out = curl_easy_escape(nullptr, text.data(), static_cast<int>(text.size()));
  std::string escaped(out);
  curl_free(out);
  return escaped;
}

struct Prometheus {
  mikroscope::test::TempDir dir;
  std::string url = "http://127.0.0.1:" + std::to_string(free_port());
  std::unique_ptr<MetricService> server;

  // `target`: host:port to scrape; empty: none.
  explicit Prometheus(const std::string& target, const std::string& token = {}) {
    std::string config = "global: {scrape_interval: 1s}\n";
    if (!target.empty()) {
      config += "scrape_configs: [{job_name: m, honor_labels: true, static_configs: [{targets: ['" + target +
                "']}]";
      if (!token.empty()) config += ", authorization: {credentials: " + token + "}";
      config += "}]\n";
    }
    test::write_all(dir / "p.yml", config);
    server = std::make_unique<MetricService>(
        std::vector<std::string>{
            "prometheus", "--config.file=" + (dir / "p.yml"), "--storage.tsdb.path=" + (dir / "data"),
            "--web.listen-address=" + url.substr(7), "--web.enable-remote-write-receiver",
            "--storage.tsdb.retention.time=30d", "--log.level=warn"},
        dir / "log");
    EXPECT_TRUE(poll_until(30, [this] { return http_get(url + "/-/ready").status == 200; })) << server->log();
  }

  // The result of an instant query, at `time` seconds where given.
  json query(const std::string& text, double time = 0) const {
    std::string at = url + "/api/v1/query?query=" + quoted(text);
    if (time > 0) at += "&time=" + std::to_string(time);
    const json answer = json::parse(http_get(at).body, nullptr, false);
    return answer.is_object() && answer.contains("data") ? answer["data"]["result"] : json::array();
  }
  std::string value(const std::string& text, double time = 0) const {
    const json result = query(text, time);
    return result.size() == 1 ? result[0]["value"][1].get<std::string>()
                              : std::to_string(result.size()) + " series";
  }
};

std::unique_ptr<Sink> make(const SinkDef& def, const std::map<std::string, std::string>& options) {
  SinkValues values;
  for (const auto& [name, value] : options) values.set(name, value);
  auto sink = def.make(values);
  EXPECT_TRUE(sink) << sink.error().what;
  return std::move(*sink);
}

// The one finding there is: a documented name, where bits are what was corrected, not a size.
bool known_finding(const std::string& line) {
  return line.empty() ||
         line == "mikroscope_mtd_ecc_corrected_bits_total use base unit \"bytes\" instead of \"bits\"";
}

TEST(PrometheusService, PromtoolFindsNothingUnknown) {
  if (!test::installed("promtool")) GTEST_SKIP() << "promtool is not installed";
  mikroscope::test::TempDir dir;
  Exposition exposition(30'000'000'000, base::monotonic_ns);
  std::vector<model::Event> events;
  for (const std::string& name : test::hostile_names()) {
    events.push_back(test::full_event("router", name, test::kStart));
    events.push_back(test::hostile_event(name));
  }
  exposition.take(events);
  test::write_all(dir / "metrics", exposition.render(TextFormat::prometheus));
  const test::Ran ran = test::run({"promtool", "check", "metrics"}, dir / "out", dir / "metrics");
  EXPECT_TRUE(ran.code == 0 || ran.code == 3) << ran.output;
  std::stringstream lines(ran.output);
  for (std::string line; std::getline(lines, line);) EXPECT_TRUE(known_finding(line)) << line;
}

TEST(PrometheusService, ScrapesBothFormats) {
  if (!test::installed("prometheus")) GTEST_SKIP() << "prometheus is not installed";
  const auto sink = make(kPrometheusSink, {{"prom", "127.0.0.1:0"}, {"prom-token", "abc"}});
  const std::string target = sink->name().substr(sink->name().find("//") + 2);
  std::vector<model::Event> events;
  for (const std::string& name : test::hostile_names()) {
    events.push_back(test::full_event("router", name, test::kStart));
    events.push_back(test::hostile_event(name));
  }
  events.push_back(test::cpu_sample("edge", 0, {7, 3, 1007, 2003, 0.7, true}));
  sink->deliver(events);
  const Prometheus prometheus(target.substr(0, target.find('/')), "abc");
  ASSERT_TRUE(poll_until(40, [&] { return prometheus.value("mikroscope_up{host=\"edge\"}") == "1"; }))
      << http_get(prometheus.url + "/api/v1/targets").body;
  // Prometheus asks for OpenMetrics, and any wrong line would have refused the whole scrape.
  EXPECT_EQ(prometheus.value("up"), "1");
  EXPECT_EQ(prometheus.value("mikroscope_cpu_ticks_total{host=\"edge\",mode=\"user\"}"), "1007");
  EXPECT_EQ(prometheus.value("mikroscope_novel_hits_total{host=\"\\\"q\\\"\",name=\"C:\\\\\"}"), "1");
  EXPECT_EQ(prometheus.value("mikroscope_novel_hits_total{host=\"\\\"q\\\"\",name=\"a\\nb\"}"), "5");
  EXPECT_EQ(prometheus.value("mikroscope_novel_hits_total{host=\"a=b c,d\",name=\"\xF0\x9F\x98\x80\"}"), "7");
  // Every series of the newest scrape is there: none was a duplicate of another.
  const std::string served = http_get("http://" + target, {"Authorization: Bearer abc"}).body;
  std::size_t series = 0;
  std::stringstream lines(served);
  for (std::string line; std::getline(lines, line);) series += line.empty() || line[0] == '#' ? 0U : 1U;
  EXPECT_EQ(prometheus.value("scrape_samples_scraped"), std::to_string(series));
  EXPECT_EQ(prometheus.value("count({__name__=~\"mikroscope_.+\"})"), std::to_string(series));
  const json metadata = json::parse(
      http_get(prometheus.url + "/api/v1/metadata?metric=mikroscope_cpu_ticks").body, nullptr, false);
  EXPECT_EQ(metadata["data"]["mikroscope_cpu_ticks"][0]["type"], "counter");
}

// Ten samples a second that end now; sums are known by hand.
std::vector<model::Event> recent(const std::string& host, int count, std::int64_t end_ns) {
  std::vector<model::Event> events;
  for (int n = 0; n < count; ++n) {
    model::Event event =
        test::cpu_sample(host, n, {n, 1, static_cast<std::uint64_t>(1000 + n), 5, 0.25, true});
    event.wall_ns = end_ns - (count - 1 - n) * kTick;
    events.push_back(event);
  }
  return events;
}

std::int64_t whole_second_now() {
  return base::wall_ns() / base::kNsPerSecond * base::kNsPerSecond;
}

TEST(RemoteWriteService, StoresEverySampleInPrometheus) {
  if (!test::installed("prometheus")) GTEST_SKIP() << "prometheus is not installed";
  const Prometheus prometheus("");
  const auto sink = make(kRemoteWriteSink, {{"remote-write", prometheus.url}});
  const auto check = sink->check();
  EXPECT_TRUE(check) << check.error().what;
  const std::int64_t end = whole_second_now();
  const double at = static_cast<double>(end / base::kNsPerSecond);
  const auto events = recent("router", 50, end);
  const Delivery first = sink->deliver(events);
  ASSERT_EQ(first.verdict, Delivery::Verdict::done) << first.why;
  EXPECT_EQ(first.rejected, 0U);
  const std::string user = "mikroscope_cpu_ticks_total{host=\"router\",cpu=\"0\",mode=\"user\"}";
  EXPECT_EQ(prometheus.value(user, at), "1049");
  EXPECT_EQ(prometheus.value("count_over_time(" + user + "[10s])", at), "50");
  EXPECT_EQ(prometheus.value("sum_over_time(" + user + "[10s])", at), "51225");  // 50 * 1000 + 0 + … + 49
  EXPECT_EQ(prometheus.value("mikroscope_cpu_busy_ratio{host=\"router\"}", at), "0.25");
  // The same again, as after a crash: what is there stays, and it is not retried for ever.
  const Delivery again = make(kRemoteWriteSink, {{"remote-write", prometheus.url}})->deliver(events);
  EXPECT_EQ(again.verdict, Delivery::Verdict::reject) << again.why;
  EXPECT_EQ(prometheus.value("count_over_time(" + user + "[10s])", at), "50");
}

TEST(RemoteWriteService, TakesHostileNamesAndEveryTable) {
  if (!test::installed("prometheus")) GTEST_SKIP() << "prometheus is not installed";
  const Prometheus prometheus("");
  const auto sink = make(kRemoteWriteSink, {{"remote-write", prometheus.url}});
  const std::int64_t now = whole_second_now();
  std::vector<model::Event> events;
  for (const std::string& name : test::hostile_names()) {
    events.push_back(test::full_event("router", name, now));
    events.push_back(test::hostile_event(name, now));
  }
  const Delivery delivery = sink->deliver(events);
  ASSERT_EQ(delivery.verdict, Delivery::Verdict::done) << delivery.why;
  const double at = static_cast<double>(now / base::kNsPerSecond);
  EXPECT_EQ(prometheus.value("mikroscope_novel_hits_total{host=\"C:\\\\\",name=\"a\\nb\"}", at), "5");
  EXPECT_EQ(prometheus.value("mikroscope_irq_total{host=\"router\",irq=\"\\\"q\\\"\"}", at).find("series"),
            std::string::npos);
}

TEST(RemoteWriteService, EndsASeriesThatVanished) {
  if (!test::installed("prometheus")) GTEST_SKIP() << "prometheus is not installed";
  const Prometheus prometheus("");
  const auto sink = make(kRemoteWriteSink, {{"remote-write", prometheus.url}});
  const std::int64_t now = whole_second_now();
  const auto one = [now](const char* cpu, std::int64_t before_s) {
    model::Event event = test::cpu_sample("router", 0, {1, 1, 5, 5, 0.25, true}, cpu);
    event.wall_ns = now - before_s * base::kNsPerSecond;
    return std::vector<model::Event>{event};
  };
  for (const auto& events : {one("1", 60), one("0", 60), one("0", 25), one("0", 0)})
    ASSERT_EQ(sink->deliver(events).verdict, Delivery::Verdict::done);
  const double at = static_cast<double>(now / base::kNsPerSecond);
  EXPECT_EQ(prometheus.value("mikroscope_cpu_busy_ratio{cpu=\"0\"}", at), "0.25");
  EXPECT_EQ(prometheus.value("mikroscope_cpu_busy_ratio{cpu=\"1\"}", at), "0 series");
  EXPECT_EQ(prometheus.value("mikroscope_cpu_busy_ratio{cpu=\"1\"}", at - 40), "0.25");
}

TEST(RemoteWriteService, KeepsOneValueAStep) {
  if (!test::installed("prometheus")) GTEST_SKIP() << "prometheus is not installed";
  const Prometheus prometheus("");
  const auto sink = make(kRemoteWriteSink, {{"remote-write", prometheus.url}, {"remote-write-step", "1s"}});
  const std::int64_t end = whole_second_now();  // 50 samples that end with a full second: 4.9 s before it
  for (const model::Event& event : recent("router", 50, end))
    ASSERT_EQ(sink->deliver(std::vector<model::Event>{event}).verdict, Delivery::Verdict::done);
  const double at = static_cast<double>(end / base::kNsPerSecond);
  const std::string user = "mikroscope_cpu_ticks_total{host=\"router\",cpu=\"0\",mode=\"user\"}";
  // Seconds that are over: of 0 to 8, 9 to 18, 19 to 28, 29 to 38 and 39 to 48 the last; 49 begins another.
  EXPECT_EQ(prometheus.value("count_over_time(" + user + "[10s])", at), "5");
  EXPECT_EQ(prometheus.value("sum_over_time(" + user + "[10s])", at), "5140");
}

TEST(RemoteWriteService, StoresEverySampleInVictoriaMetrics) {
  if (!test::installed("victoria-metrics")) GTEST_SKIP() << "victoria-metrics is not installed";
  mikroscope::test::TempDir dir;
  const std::string address = "127.0.0.1:" + std::to_string(free_port());
  MetricService server(
      {"victoria-metrics", "-storageDataPath=" + (dir / "data"), "-httpListenAddr=" + address,
       "-memory.allowedBytes=64MB", "-search.latencyOffset=0s", "-search.disableCache"},
      dir / "log");
  const std::string url = "http://" + address;
  ASSERT_TRUE(poll_until(30, [&] { return http_get(url + "/health").status == 200; })) << server.log();
  const auto sink = make(kRemoteWriteSink, {{"remote-write", url}});
  EXPECT_TRUE(sink->check());
  std::vector<model::Event> events = recent("C:\\ \"q\"\nx", 20, whole_second_now());
  ASSERT_EQ(sink->deliver(events).verdict, Delivery::Verdict::done);
  const auto exported = [&] {
    http_get(url + "/internal/force_flush");
    return http_get(url + "/api/v1/export?match[]=" + quoted("mikroscope_cpu_ticks_total{mode=\"user\"}"))
        .body;
  };
  ASSERT_TRUE(poll_until(20, [&] { return !exported().empty(); }));
  const json series = json::parse(exported(), nullptr, false);
  ASSERT_TRUE(series.is_object()) << exported();
  EXPECT_EQ(series["metric"]["host"], "C:\\ \"q\"\nx");
  ASSERT_EQ(series["values"].size(), 20U);
  EXPECT_EQ(series["values"][19], 1019);
  EXPECT_EQ(series["timestamps"][19], events.back().wall_ns / 1'000'000);
}

}  // namespace
}  // namespace mikroscope::sinks
