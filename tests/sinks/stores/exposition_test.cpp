#include "sinks/stores/exposition.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sinks/stores/metric_events.h"

namespace mikroscope::sinks {
namespace {

using test::cpu_sample;
using testing::HasSubstr;
using testing::Not;

constexpr std::int64_t kSecond = 1'000'000'000;

struct Fixture {
  std::int64_t now = kSecond;
  Exposition exposition{30 * kSecond, [this] { return now; }};

  void take(model::Event event) { exposition.take(std::vector<model::Event>{std::move(event)}); }
  std::string text() { return exposition.render(TextFormat::prometheus); }
};

// The line of a series, or nothing.
std::string line(const std::string& text, const std::string& series) {
  const std::size_t at = text.find("\n" + series + " ");
  return at == std::string::npos ? "" : text.substr(at + 1, text.find('\n', at + 1) - at - 1);
}

TEST(ExpositionText, ChoosesTheFormatByAccept) {
  EXPECT_EQ(format_for(""), TextFormat::prometheus);
  EXPECT_EQ(format_for("*/*"), TextFormat::prometheus);
  EXPECT_EQ(
      format_for("application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;"
                 "q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1"),
      TextFormat::openmetrics);
  EXPECT_EQ(format_for("application/openmetrics-text; version=1.0.0; q=0.2, text/plain"),
            TextFormat::prometheus);
  EXPECT_EQ(format_for("application/openmetrics-text; version=0.0.1"), TextFormat::prometheus);
  EXPECT_EQ(format_for("application/openmetrics-text;q=0"), TextFormat::prometheus);
}

TEST(ExpositionText, EscapesExactlyThree) {
  EXPECT_EQ(label_text({{"a", "C:\\"}, {"b", "x\ny"}, {"c", "\"q\"\t'"}}),
            "{a=\"C:\\\\\",b=\"x\\ny\",c=\"\\\"q\\\"\t'\"}");
  EXPECT_EQ(label_text({}), "");
}

TEST(ExpositionText, WritesEachFamilyOnce) {
  TextFamilies families;
  families.add("b_total", TextFamilies::Type::counter, "of \"b\" in C:\\\nnow", "{h=\"1\"}",
               Number::of(std::int64_t{3}));
  families.add("a", TextFamilies::Type::gauge, "of a", "", Number::of(0.5));
  families.add("b_total", TextFamilies::Type::counter, "other", "{h=\"2\"}", Number::of(std::int64_t{4}));
  EXPECT_EQ(families.render(TextFormat::prometheus),
            "# HELP a of a\n# TYPE a gauge\na 0.5\n"
            "# HELP b_total of \"b\" in C:\\\\\\nnow\n# TYPE b_total counter\nb_total{h=\"1\"} "
            "3\nb_total{h=\"2\"} 4\n");
  EXPECT_EQ(families.render(TextFormat::openmetrics),
            "# HELP a of a\n# TYPE a gauge\na 0.5\n"
            "# HELP b of \\\"b\\\" in C:\\\\\\nnow\n# TYPE b counter\nb_total{h=\"1\"} 3\nb_total{h=\"2\"} "
            "4\n# EOF\n");
}

TEST(ExpositionText, KeepsTypesApart) {
  TextFamilies families;
  families.add("a", TextFamilies::Type::gauge, "x", "", Number::of(std::int64_t{1}));
  families.add("a_total", TextFamilies::Type::counter, "x", "", Number::of(std::int64_t{2}));
  families.add("a", TextFamilies::Type::counter, "x", "", Number::of(std::int64_t{3}));
  EXPECT_EQ(
      families.render(TextFormat::openmetrics),
      "# HELP a x\n# TYPE a gauge\na 1\n# HELP a_counter x\n# TYPE a_counter counter\na_counter_total 3\n"
      "# HELP a_total x\n# TYPE a_total unknown\na_total 2\n# EOF\n");
}

TEST(ExpositionText, AddsUpBuckets) {
  TextFamilies families;
  families.add_histogram("t", "ticks", {{"cpu", "0"}}, {0, 0.5, 2}, {1, 0, 2, 4}, 42.5);
  EXPECT_EQ(
      families.render(TextFormat::prometheus),
      "# HELP t ticks\n# TYPE t histogram\n"
      "t_bucket{cpu=\"0\",le=\"0.0\"} 1\nt_bucket{cpu=\"0\",le=\"0.5\"} 1\nt_bucket{cpu=\"0\",le=\"2.0\"} 3\n"
      "t_bucket{cpu=\"0\",le=\"+Inf\"} 7\nt_sum{cpu=\"0\"} 42.5\nt_count{cpu=\"0\"} 7\n");
}

// The kernel's own totals: a collector that starts anew goes on where it was.
TEST(Exposition, ShowsTotalsOfTheKernel) {
  Fixture f;
  f.take(cpu_sample("router", 0, {7, 3, 1007, 2003, 0.7, true}));
  const std::string text = f.text();
  EXPECT_EQ(line(text, R"(mikroscope_cpu_ticks_total{cpu="0",host="router",mode="user"})"),
            R"(mikroscope_cpu_ticks_total{cpu="0",host="router",mode="user"} 1007)");
  EXPECT_EQ(line(text, R"(mikroscope_cpu_busy_ratio{cpu="0",host="router"})"),
            R"(mikroscope_cpu_busy_ratio{cpu="0",host="router"} 0.7)");
  EXPECT_EQ(line(text, R"(mikroscope_up{host="router"})"), R"(mikroscope_up{host="router"} 1)");
  EXPECT_THAT(text, Not(HasSubstr("mode=\"steal\"")));  // absent is not 0
}

TEST(Exposition, AddsUpWhereNoTotalIsKnown) {
  Fixture f;
  f.take(cpu_sample("router", 0, {7, 3, 0, 0, 0.7, false}));
  f.take(cpu_sample("router", 1, {2, 8, 0, 0, 0.2, false}));
  EXPECT_EQ(line(f.text(), R"(mikroscope_cpu_ticks_total{cpu="0",host="router",mode="user"})"),
            R"(mikroscope_cpu_ticks_total{cpu="0",host="router",mode="user"} 9)");
}

TEST(Exposition, ForgetsARouterThatFellSilent) {
  Fixture f;
  f.take(cpu_sample("router", 0, {7, 3, 1007, 2003, 0.7, true}));
  f.now += 30 * kSecond;
  EXPECT_THAT(f.text(), HasSubstr("mikroscope_cpu_busy_ratio"));
  f.now += kSecond;
  const std::string text = f.text();
  EXPECT_THAT(text, Not(HasSubstr("mikroscope_cpu_")));
  EXPECT_EQ(line("\n" + text, R"(mikroscope_up{host="router"})"), R"(mikroscope_up{host="router"} 0)");
  EXPECT_EQ(line(text, R"(mikroscope_last_sample_age_seconds{host="router"})"),
            R"(mikroscope_last_sample_age_seconds{host="router"} 31)");
  f.take(cpu_sample("router", 400, {1, 9, 1100, 2100, 0.1, true}));
  EXPECT_EQ(line(f.text(), R"(mikroscope_up{host="router"})"), R"(mikroscope_up{host="router"} 1)");
}

// A core that newer samples leave out goes; the others stay.
TEST(Exposition, DropsRowsThatVanished) {
  Fixture f;
  f.take(cpu_sample("router", 0, {1, 1, 1, 1, 0.1, true}, "1"));
  for (int n = 1; n <= 302; ++n) {
    f.now += 100'000'000;
    f.take(cpu_sample("router", n, {1, 1, 1, 1, 0.1, true}, "0"));
  }
  f.now += kSecond;
  f.take(cpu_sample("router", 312, {1, 1, 1, 1, 0.1, true}, "0"));
  const std::string text = f.text();
  EXPECT_THAT(text, HasSubstr(R"(mikroscope_cpu_busy_ratio{cpu="0")"));
  EXPECT_THAT(text, Not(HasSubstr(R"(mikroscope_cpu_busy_ratio{cpu="1")")));
}

// A table that is sent only when it changes keeps its value, and its age tells.
TEST(Exposition, HoldsWhatRarelyChanges) {
  Fixture f;
  const auto origin = std::make_shared<const model::Origin>(model::Origin{"router", "one", "boot"});
  model::EventBuilder builder(model::EventKind::sample, origin, test::kStart);
  builder.row(test::kernel("slab"), {"nf_conntrack"}).integer("active", 6287);
  f.take(builder.finish());
  for (int n = 1; n <= 600; n += 10) f.take(cpu_sample("router", n, {1, 1, 1, 1, 0.1, true}));
  const std::string text = f.text();
  EXPECT_EQ(line(text, R"(mikroscope_slab_active_objects{cache="nf_conntrack",host="router"})"),
            R"(mikroscope_slab_active_objects{cache="nf_conntrack",host="router"} 6287)");
  EXPECT_EQ(line(text, R"(mikroscope_source_age_seconds{host="router",source="slab"})"),
            R"(mikroscope_source_age_seconds{host="router",source="slab"} 59.1)");
}

// The collector's own events are of its host, which is no router.
TEST(Exposition, DoesNotCallTheCollectorDown) {
  Fixture f;
  const auto origin = std::make_shared<const model::Origin>(model::Origin{"collector", "", ""});
  model::EventBuilder builder(model::EventKind::collector, origin, test::kStart);
  builder.row(test::novel(), {"influx"}).integer("total", 5);
  f.take(builder.finish());
  f.now += 40 * kSecond;
  EXPECT_EQ(f.text(),
            "# HELP mikroscope_novel_total ever\n# TYPE mikroscope_novel_total counter\n"
            "mikroscope_novel_total{host=\"collector\",name=\"influx\"} 5\n");
}

TEST(Exposition, CountsWhatHappened) {
  Fixture f;
  const auto origin = std::make_shared<const model::Origin>(model::Origin{"router", "one", "boot"});
  for (int i = 0; i < 2; ++i) {
    model::EventBuilder builder(model::EventKind::log, origin, test::kStart + i);
    builder.row(test::kernel("kmsg"), {"warn", "ether2", "own-address", "NAS", "LAN"}).integer("count", 3);
    builder.row(test::kernel("kmsg"), {"warn", "", "", "", ""}).integer("count", 1);
    f.take(builder.finish());
  }
  const std::string text = f.text();
  EXPECT_EQ(line(text, R"(mikroscope_kmsg_records_total{host="router",level="warn"})"),
            R"(mikroscope_kmsg_records_total{host="router",level="warn"} 8)");
  EXPECT_EQ(
      line(
          text,
          R"(mikroscope_kmsg_port_records_total{host="router",kind="own-address",level="warn",port="ether2"})"),
      R"(mikroscope_kmsg_port_records_total{host="router",kind="own-address",level="warn",port="ether2"} 6)");
}

// One at a time: a changed text is another series, and the one before is gone.
TEST(Exposition, ReplacesInfo) {
  Fixture f;
  const auto send = [&f](int n, const char* note) {
    const auto origin = std::make_shared<const model::Origin>(model::Origin{"router", "one", "boot"});
    model::EventBuilder builder(model::EventKind::sample, origin, test::kStart + n * kSecond);
    builder.row(test::novel(), {"x"}).text("note", note);
    f.now += 2 * kSecond;
    f.take(builder.finish());
  };
  send(0, "old");
  send(1, "new");
  send(2, "new");
  const std::string text = f.text();
  EXPECT_THAT(text, HasSubstr(R"(mikroscope_novel_info{host="router",name="x",note="new"} 1)"));
  EXPECT_THAT(text, Not(HasSubstr("note=\"old\"")));
}

TEST(Exposition, TakesHostileNames) {
  Fixture f;
  for (const std::string& host : test::hostile_names()) f.take(test::hostile_event(host));
  const std::string text = f.text();
  EXPECT_THAT(text, HasSubstr("mikroscope_novel_hits_total{host=\"C:\\\\\",name=\"a\\nb\"} 5\n"));
  EXPECT_THAT(text, HasSubstr("mikroscope_novel_hits_total{host=\"\\\"q\\\"\",name=\"\xEF\xBF\xBD\"} 8\n"));
  EXPECT_THAT(text, HasSubstr("mikroscope_novel_hits_total{host=\"\xEF\xBF\xBD\"} 4\n"));  // an empty name
  EXPECT_EQ(text.find('\0'), std::string::npos);
}

TEST(ExpositionWindows, AreOfTimeNotOfSamples) {
  Fixture f;
  // 100 s at 10 Hz; the core is full for one sample at 50 s, and the last second is at 0.5.
  for (int n = 0; n < 1000; ++n)
    f.take(cpu_sample("router", n, {5, 5, 1, 1, n == 500 ? 1.0 : n >= 990 ? 0.5 : 0.1, true}));
  const std::string text = f.text();
  const auto window = [&](const char* stat, const char* length) {
    const std::string series =
        std::string(R"(mikroscope_cpu_busy_ratio_window{cpu="0",host="router",stat=")") + stat +
        "\",window=\"" + length + "\"}";
    const std::string found = line(text, series);
    return found.empty() ? found : found.substr(series.size() + 1);
  };
  EXPECT_EQ(window("max", "1s"), "0.5");
  EXPECT_EQ(window("min", "1s"), "0.5");
  EXPECT_EQ(window("max", "10s"), "0.5");
  EXPECT_EQ(window("min", "10s"), "0.1");
  EXPECT_EQ(window("max", "60s"), "1");    // 50 s ago
  EXPECT_EQ(window("p95", "60s"), "0.1");  // 11 of 600 are above
  // 995 samples after the five that told the rate; none has the six counts, so no histogram of ticks.
  EXPECT_EQ(line(text, R"(mikroscope_tick_interval_seconds_count{host="router"})"),
            R"(mikroscope_tick_interval_seconds_count{host="router"} 1000)");
  EXPECT_EQ(line(text, R"(mikroscope_tick_interval_seconds_bucket{host="router",le="0.101"})"),
            R"(mikroscope_tick_interval_seconds_bucket{host="router",le="0.101"} 1000)");
  EXPECT_THAT(text, Not(HasSubstr("mikroscope_cpu_busy_ticks")));
}

}  // namespace
}  // namespace mikroscope::sinks
