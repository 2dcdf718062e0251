#include "sinks/stores/families.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cctype>
#include <set>

#include "tests/sinks/stores/metric_events.h"

namespace mikroscope::sinks {
namespace {

using test::kernel;
using testing::ElementsAre;
using testing::Pair;

const Metric* find(const std::vector<Metric>& metrics, const std::string& name,
                   const std::string& label = {}) {
  for (const Metric& metric : metrics) {
    if (metric.name == name &&
        (label.empty() || (!metric.labels.empty() && metric.labels[0].second == label)))
      return &metric;
  }
  return nullptr;
}

std::set<std::string> names(const std::vector<Metric>& metrics) {
  std::set<std::string> out;
  for (const Metric& metric : metrics) out.insert(metric.name);
  return out;
}

TEST(Families, FoldsTheFieldsOfCpuIntoOneFamily) {
  const auto prom = metrics_of(*kernel("cpu"), Naming::prometheus);
  const Metric* const user = find(prom, "mikroscope_cpu_ticks_total", "user");
  ASSERT_NE(user, nullptr);
  EXPECT_THAT(user->labels, ElementsAre(Pair("mode", "user")));
  EXPECT_THAT(user->keys, ElementsAre(Pair("cpu", 0)));
  EXPECT_EQ(user->from, From::total);
  EXPECT_NE(find(prom, "mikroscope_cpu_busy_ratio"), nullptr);
  // Guests are in user already; dt_ns is nobody's metric.
  EXPECT_EQ(find(prom, "mikroscope_cpu_ticks_total", "guest"), nullptr);
  EXPECT_NE(find(prom, "mikroscope_cpu_guest_ticks_total", "guest"), nullptr);
  for (const std::string& name : names(prom)) EXPECT_EQ(name.find("dt"), std::string::npos) << name;

  const auto otlp = metrics_of(*kernel("cpu"), Naming::otlp);
  const Metric* const ticks = find(otlp, "mikroscope.cpu.ticks", "user");
  ASSERT_NE(ticks, nullptr);
  EXPECT_EQ(ticks->unit, "{tick}");
}

TEST(Families, KeepsDocumentedNames) {
  const auto has = [](const char* measurement, const char* name) {
    return names(metrics_of(*kernel(measurement), Naming::prometheus)).count(name) == 1;
  };
  EXPECT_TRUE(has("stat", "mikroscope_context_switches_total"));
  EXPECT_TRUE(has("softnet", "mikroscope_softnet_total"));
  EXPECT_TRUE(has("softirq", "mikroscope_softirq_total"));
  EXPECT_TRUE(has("irq_cpu", "mikroscope_irq_total"));
  EXPECT_TRUE(has("mem", "mikroscope_meminfo_kbytes"));
  EXPECT_TRUE(has("load", "mikroscope_load"));
  EXPECT_TRUE(has("vm", "mikroscope_vm_events_total"));
  EXPECT_TRUE(has("psi", "mikroscope_psi_stall_usec_total"));
  EXPECT_TRUE(has("thermal", "mikroscope_thermal_celsius"));
  EXPECT_TRUE(has("kmsg", "mikroscope_kmsg_records_total"));
  EXPECT_TRUE(has("gap", "mikroscope_collector_gaps_total"));
  EXPECT_TRUE(has("sample", "mikroscope_samples_total"));
  EXPECT_TRUE(has("disk", "mikroscope_disk_operations_total"));
  // The same interrupts, summed: irq_total says them already.
  EXPECT_TRUE(metrics_of(*kernel("irq"), Naming::prometheus).empty());
  const auto memory = metrics_of(*kernel("mem"), Naming::prometheus);
  const Metric* const total = find(memory, "mikroscope_meminfo_kbytes", "MemTotal");
  ASSERT_NE(total, nullptr);
  EXPECT_EQ(total->times, 1);
  const auto psi = metrics_of(*kernel("psi"), Naming::prometheus);
  EXPECT_THAT(find(psi, "mikroscope_psi_stall_usec_total", "memory")->labels,
              ElementsAre(Pair("resource", "memory"), Pair("kind", "some")));
}

// What no rule names is named by its measurement, in base units.
TEST(Families, NamesATableThatNobodyKnows) {
  const auto prom = metrics_of(*test::novel(), Naming::prometheus);
  EXPECT_THAT(names(prom),
              testing::UnorderedElementsAre(
                  "mikroscope_novel_hits_total", "mikroscope_novel_wait_seconds_total",
                  "mikroscope_novel_total", "mikroscope_novel_size_bytes", "mikroscope_novel_load",
                  "mikroscope_novel_share", "mikroscope_novel_on", "mikroscope_novel_info"));
  EXPECT_EQ(find(prom, "mikroscope_novel_size_bytes")->times, 1024);
  EXPECT_EQ(find(prom, "mikroscope_novel_wait_seconds_total")->over, 1'000'000'000);
  EXPECT_EQ(find(prom, "mikroscope_novel_load")->over, 100);
  EXPECT_THAT(find(prom, "mikroscope_novel_info")->texts, ElementsAre(Pair("note", 7)));
  const auto otlp = metrics_of(*test::novel(), Naming::otlp);
  EXPECT_EQ(find(otlp, "mikroscope.novel.size_kb")->unit, "KiBy");
  EXPECT_EQ(find(otlp, "mikroscope.novel.size_kb")->times, 1);
}

TEST(Families, SaysAUnitOnce) {
  const auto level = [](const char* name, proc::Unit unit) {
    return model::Field{name, model::Kind::level, model::Type::integer, unit, 0, false, "x", {}};
  };
  const model::Measurement m{"q",
                             {},
                             {level("bytes_up", proc::Unit::bytes),
                              level("queued_bytes_up", proc::Unit::bytes), level("rss", proc::Unit::bytes),
                              level("khz", proc::Unit::kilohertz), level("uptime_s", proc::Unit::seconds)},
                             "q"};
  EXPECT_THAT(names(metrics_of(m, Naming::prometheus)),
              testing::UnorderedElementsAre("mikroscope_q_bytes_up", "mikroscope_q_queued_bytes_up",
                                            "mikroscope_q_rss_bytes", "mikroscope_q_hertz",
                                            "mikroscope_q_uptime_seconds"));
}

TEST(Families, GivesKeysThatWouldCollideOtherLabels) {
  const model::Measurement m{
      "odd table",
      {{"host", true, false, ""},
       {"le", true, false, ""},
       {"2 nd", true, false, ""},
       {"__x", true, false, ""},
       {"2-nd", true, false, ""}},
      {{"v", model::Kind::level, model::Type::integer, proc::Unit::none, 0, false, "", {}}},
      "odd"};
  const auto metrics = metrics_of(m, Naming::prometheus);
  ASSERT_EQ(metrics.size(), 1U);
  EXPECT_EQ(metrics[0].name, "mikroscope_odd_table_v");
  EXPECT_THAT(metrics[0].keys, ElementsAre(Pair("exported_host", 0), Pair("exported_le", 1), Pair("_2_nd", 2),
                                           Pair("key__x", 3), Pair("_2_nd_", 4)));
}

// Every measurement of the kernel tier, in both worlds: valid names, help, a family is of one kind, and no
// two of a measurement's metrics are the same series.
TEST(Families, HoldForEveryTable) {
  std::map<std::string, bool> counters;
  for (const model::MeasurementPtr& m : kernel_measurements()) {
    for (const Naming naming : {Naming::prometheus, Naming::otlp}) {
      std::set<std::pair<std::string, std::vector<std::pair<std::string, std::string>>>> seen;
      for (const Metric& metric : metrics_of(*m, naming)) {
        SCOPED_TRACE(m->name + ": " + metric.name);
        EXPECT_FALSE(metric.help.empty());
        const auto [at, added] = counters.emplace(metric.name, metric.counter());
        EXPECT_EQ(at->second, metric.counter());
        EXPECT_TRUE(seen.insert({metric.name, metric.labels}).second);
        if (naming == Naming::otlp) {
          EXPECT_FALSE(metric.unit.empty());
          continue;
        }
        for (const char c : metric.name) EXPECT_TRUE(std::isalnum(static_cast<unsigned char>(c)) || c == '_');
        EXPECT_EQ(metric.counter(),
                  metric.name.size() > 6 && metric.name.substr(metric.name.size() - 6) == "_total");
      }
    }
  }
}

TEST(Families, ReadsTotalsAndDifferences) {
  const model::Event event = test::cpu_sample("router", 0, {7, 3, 1007, 2003, 0.7, true});
  const model::ShapeTable& table = *event.shape->find("cpu");
  const auto metrics = metrics_of(*table.measurement, Naming::prometheus);
  const Metric& user = *find(metrics, "mikroscope_cpu_ticks_total", "user");
  EXPECT_EQ(to_text(read(event, user, table, 0)->value), "1007");
  EXPECT_FALSE(read(event, user, table, 0)->adds);
  EXPECT_EQ(to_text(read(event, user, table, 0, true)->value), "7");
  EXPECT_TRUE(read(event, user, table, 0, true)->adds);
  // Absent is not 0.
  EXPECT_FALSE(read(event, *find(metrics, "mikroscope_cpu_ticks_total", "steal"), table, 0));
}

TEST(Families, ConvertsWithoutLosingDigits) {
  EXPECT_EQ(to_text(Number::of(0.1)), "0.1");
  EXPECT_EQ(to_text(Number::of(std::int64_t{9007199254740993})), "9007199254740993");
  EXPECT_EQ(to_text(Number::of(std::int64_t{INT64_MAX}) + Number::of(std::int64_t{1})),
            "9223372036854775808");
  const model::Event event = test::hostile_event("router");
  const model::ShapeTable& table = *event.shape->find("novel");
  const auto metrics = metrics_of(*table.measurement, Naming::prometheus);
  EXPECT_EQ(to_text(read(event, *find(metrics, "mikroscope_novel_size_bytes"), table, 0)->value), "2048");
  EXPECT_EQ(to_text(read(event, *find(metrics, "mikroscope_novel_load"), table, 0)->value), "0.12");
  EXPECT_EQ(to_text(read(event, *find(metrics, "mikroscope_novel_wait_seconds_total"), table, 0)->value),
            "0.25");
}

TEST(Families, MakesTextsValid) {
  EXPECT_EQ(valid_text("\xE4"), "\xEF\xBF\xBD");
  EXPECT_EQ(valid_text(std::string("a\0b", 3)),
            "a\xEF\xBF\xBD"
            "b");
  EXPECT_EQ(valid_text("\xF0\x9F\x98\x80"), "\xF0\x9F\x98\x80");
}

}  // namespace
}  // namespace mikroscope::sinks
