#include "sinks/kernel/kernel_events.h"

#include <gtest/gtest.h>

#include <set>

#include "proc/reader/reader.h"
#include "sinks/kernel/store_tables.h"

namespace mikroscope::sinks {
namespace {

using model::Event;
using model::EventKind;
using model::find_number;

std::vector<Event> events_of(std::string_view lines, KernelEvents& kernel) {
  proc::NdjsonReader reader;
  reader.feed(lines);
  reader.finish();
  std::vector<Event> events;
  while (const auto item = reader.next()) kernel.take(*item, 42, events);
  return events;
}

std::vector<Event> events_of(std::string_view lines) {
  KernelEvents kernel("router");
  return events_of(lines, kernel);
}

const model::Field& field(const Event& event, std::string_view measurement, std::string_view name) {
  const model::ShapeTable* const table = event.shape->find(measurement);
  return table->measurement->fields[static_cast<std::size_t>(table->measurement->field(name))];
}

TEST(KernelEvents, ATickIsOneEventWithEveryTableThatWasRead) {
  const auto events = events_of(
      R"({"seq":7,"boot_ns":9000000000,"wall_ns":1789000000100000000,"dt_ns":100000000,)"
      R"("cpu":[{"cpu":0,"user":3,"nice":0,"system":1,"idle":6,"iowait":0,"irq":0,"softirq":1,"steal":0},{"cpu":2,"user":0,"nice":0,"system":0}],)"
      R"("load":{"load1":0.12},"mem":{"total_kb":1000,"available_kb":400}})"
      "\n");
  ASSERT_EQ(events.size(), 1U);
  const Event& e = events[0];
  EXPECT_EQ(e.kind, EventKind::sample);
  EXPECT_EQ(e.origin->host, "router");
  EXPECT_EQ(e.wall_ns, 1789000000100000000);
  EXPECT_EQ(e.boot_ns, 9000000000);
  EXPECT_EQ(e.seq, 7U);
  EXPECT_EQ(find_number(e, "cpu", {"0"}, "user"), 3.0);
  // 5 ticks of 10 ms in 100 ms.
  EXPECT_EQ(find_number(e, "cpu", {"0"}, "busy_ratio"), 0.5);
  EXPECT_EQ(find_number(e, "cpu", {"0"}, "dt_ns"), 1e8);
  EXPECT_EQ(find_number(e, "cpu", {"2"}, "steal"), std::nullopt) << "absent is not zero";
  EXPECT_EQ(find_number(e, "cpu", {"1"}, "user"), std::nullopt);
  EXPECT_EQ(find_number(e, "load", {}, "load1"), 0.12);
  EXPECT_EQ(find_number(e, "mem", {}, "used_kb"), 600.0);
  EXPECT_EQ(find_number(e, "mem", {}, "free_kb"), std::nullopt);
  EXPECT_EQ(find_number(e, "sample", {}, "seq"), 7.0);
  EXPECT_EQ(find_number(e, "sample", {}, "mono_ns"), 9e9);
  EXPECT_TRUE(e.totals.empty()) << "NDJSON has differences only";
}

TEST(KernelEvents, NamesAndTypesAreThoseOfTheStores) {
  const auto events = events_of(
      R"({"seq":1,"boot_ns":1,"wall_ns":2,"dt_ns":0,"cpu":[{"cpu":0,"user":1}],"slab":[{"cache":"nf_conntrack","active":5,"limit":9}],"thermal":[{"zone":"cpu","celsius":51.234}]})"
      "\n");
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(field(events[0], "cpu", "user").sql(), "user_ticks");
  EXPECT_EQ(field(events[0], "cpu", "user").kind, model::Kind::delta);
  EXPECT_EQ(field(events[0], "cpu", "busy_ratio").type, model::Type::real);
  EXPECT_EQ(field(events[0], "slab", "limit").sql(), "limit_objs");
  EXPECT_EQ(field(events[0], "thermal", "celsius").type, model::Type::decimal);
  EXPECT_EQ(find_number(events[0], "thermal", {"cpu"}, "celsius"), 51.234);
  EXPECT_EQ(find_number(events[0], "sample", {}, "dt_ns"), std::nullopt) << "the first sample covers nothing";
}

TEST(KernelEvents, InterruptsAreAddedUpOverTheCores) {
  const auto events = events_of(
      R"({"names":{"irq_cpu":[{"irq":"37","name":"switch0","cpu":0},{"irq":"37","name":"switch0","cpu":1},{"irq":"IPI0","name":"","cpu":0}]}})"
      "\n"
      R"({"seq":1,"boot_ns":1,"wall_ns":2,"dt_ns":100000000,"irq_cpu":[{"irq":"37","cpu":0,"count":90},{"irq":"37","cpu":1,"count":6}]})"
      "\n");
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(find_number(events[0], "irq", {"37", "switch0"}, "count"), 96.0);
  EXPECT_EQ(find_number(events[0], "irq_cpu", {"37", "switch0", "1"}, "count"), 6.0);
  EXPECT_EQ(find_number(events[0], "irq", {"IPI0"}, "count"), std::nullopt);
}

TEST(KernelEvents, RowsThatComeLaterMakeAnotherShapeAndLeaveTheOldOneAlone) {
  KernelEvents kernel("router");
  const auto events =
      events_of(R"({"seq":1,"boot_ns":1,"wall_ns":2,"dt_ns":1,"disk":[{"device":"sda","inflight":1}]})"
                "\n"
                R"({"seq":2,"boot_ns":2,"wall_ns":3,"dt_ns":1,"disk":[{"device":"sda","inflight":1}]})"
                "\n"
                R"({"seq":3,"boot_ns":3,"wall_ns":4,"dt_ns":1,"disk":[{"device":"sdb","inflight":2}]})"
                "\n",
                kernel);
  ASSERT_EQ(events.size(), 3U);
  EXPECT_EQ(events[0].shape, events[1].shape) << "shared, not built again";
  EXPECT_NE(events[1].shape->id(), events[2].shape->id());
  EXPECT_EQ(find_number(events[2], "disk", {"sda"}, "inflight"), std::nullopt);
  EXPECT_EQ(find_number(events[2], "disk", {"sdb"}, "inflight"), 2.0);
}

TEST(KernelEvents, TheKernelLogIsCountedAndKept) {
  KernelEvents kernel("router");
  kernel.label_ports([](std::string_view kernel_name) -> PortLabel {
    return kernel_name == "eth1" ? PortLabel{"ether2", "NAS", "LAN"} : PortLabel{};
  });
  proc::LogRecord down{4, 0, 11, 5'000'000, "eth1: link down", "eth1", "link-down"};
  proc::LogRecord other{6, 0, 12, 5'001'000, "hello", "", ""};
  std::vector<Event> events;
  kernel.take(down, 42, events);
  kernel.take(other, 42, events);
  EXPECT_TRUE(events.empty()) << "they wait for their sample";
  proc::NdjsonReader reader;
  reader.feed(R"({"seq":1,"boot_ns":6,"wall_ns":77,"dt_ns":1,"load":{"load1":1}})"
              "\n");
  while (const auto item = reader.next()) kernel.take(*item, 42, events);
  ASSERT_EQ(events.size(), 2U);
  const Event& log = events[1];
  EXPECT_EQ(log.kind, EventKind::log);
  EXPECT_EQ(log.wall_ns, 77);
  EXPECT_EQ(find_number(log, "kmsg", {"warn", "ether2", "link-down", "NAS", "LAN"}, "count"), 1.0);
  EXPECT_EQ(find_number(log, "kmsg", {"info", "", "", "", ""}, "count"), 1.0);
  EXPECT_EQ(find_number(log, "event", {"11"}, "time_usec"), 5000.0);
  EXPECT_EQ(find_number(log, "event", {"12"}, "facility"), 0.0);
}

TEST(KernelEvents, GapsAndRestartsAreEventsOfTheirOwn) {
  const auto events = events_of(R"({"gap":{"from":5,"to":9}})"
                                "\n"
                                R"({"restart":{"instance":"b","previous":"a","reboot":true}})"
                                "\n");
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[0].kind, EventKind::gap);
  EXPECT_EQ(events[0].wall_ns, 42);
  EXPECT_EQ(find_number(events[0], "gap", {"ring"}, "from"), 5.0);
  EXPECT_EQ(find_number(events[0], "gap", {"ring"}, "count"), 5.0);
  EXPECT_EQ(events[1].kind, EventKind::restart);
  EXPECT_EQ(find_number(events[1], "restart", {}, "reboot"), 1.0);
  EXPECT_EQ(events[1].origin->instance, "b");
}

TEST(StoreTables, AreUniqueAndExplained) {
  std::set<std::string> names;
  for (const model::MeasurementPtr& m : kernel_measurements()) {
    EXPECT_TRUE(names.insert(m->name).second) << m->name;
    EXPECT_FALSE(m->help.empty()) << m->name;
    std::set<std::string> sql;
    for (const model::Key& key : m->keys) sql.insert(key.name);
    for (const model::Field& f : m->fields) {
      EXPECT_FALSE(f.help.empty()) << m->name << "." << f.name;
      EXPECT_TRUE(sql.insert(f.sql()).second) << m->name << "." << f.sql();
    }
  }
  for (const char* documented :
       {"cpu",   "cpufreq", "softnet", "irq",  "irq_cpu",  "softirq", "sample",  "stat", "self",
        "psi",   "mem",     "load",    "vm",   "vm_level", "buddy",   "thermal", "slab", "mtd",
        "flash", "disk",    "perf",    "kmsg", "derived",  "gap",     "trigger", "event"})
    EXPECT_EQ(names.count(documented), 1U) << documented;
}

}  // namespace
}  // namespace mikroscope::sinks
