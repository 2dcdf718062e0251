// What holds for every table and every source.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "fake_machine.h"
#include "proc/self_columns.h"
#include "proc/sources/stat_columns.h"
#include "proc/tables.h"
#include "proc/timing_columns.h"

namespace mikroscope::proc::test {
namespace {

bool is_snake_case(std::string_view name) {
  return !name.empty() &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string_view::npos;
}

TEST(Registry, TablesHaveUniqueNamesAndHelp) {
  std::set<std::string_view> names;
  for (const TableDef& def : all_tables()) {
    const Schema& schema = *def.schema;
    EXPECT_TRUE(names.insert(schema.table).second) << schema.table;
    EXPECT_TRUE(is_snake_case(schema.table)) << schema.table;
    EXPECT_FALSE(schema.help.empty()) << schema.table;
    EXPECT_LE(schema.keys.size(), kMaxKeys);
    EXPECT_LE(schema.columns.size(), kMaxColumns);
    std::set<std::string_view> columns;
    for (const KeyColumn& key : schema.keys) {
      EXPECT_TRUE(columns.insert(key.name).second) << schema.table << "." << key.name;
      EXPECT_FALSE(key.help.empty()) << schema.table << "." << key.name;
    }
    for (const Column& column : schema.columns) {
      EXPECT_TRUE(columns.insert(column.name).second) << schema.table << "." << column.name;
      EXPECT_TRUE(is_snake_case(column.name)) << schema.table << "." << column.name;
      EXPECT_FALSE(column.help.empty()) << schema.table << "." << column.name;
    }
    EXPECT_GE(def.capacity({1}), 1U) << schema.table;
    EXPECT_GE(def.capacity({512}), def.capacity({4})) << schema.table;
  }
}

TEST(Registry, SourcesHaveUniqueNamesAndHelpAndStandByGroup) {
  std::set<std::string_view> names;
  Group group = Group::counters;
  for (const SourceDef* def : all_sources()) {
    EXPECT_TRUE(names.insert(def->name).second) << def->name;
    EXPECT_FALSE(def->help.empty()) << def->name;
    EXPECT_FALSE(def->cadence.reason.empty()) << def->name;
    EXPECT_GE(def->group, group) << def->name;
    group = def->group;
    EXPECT_EQ(find_source(def->name), def);
  }
  EXPECT_EQ(find_source("nosuch"), nullptr);
}

TEST(Registry, ColumnNumbersAgreeWithTheSchemas) {
  const auto at = [](const Schema& schema, std::uint32_t column) { return schema.columns[column].name; };
  EXPECT_EQ(at(kStatSchema, kForks), "forks");
  EXPECT_EQ(at(kStatSchema, kIrqErr), "irq_err");
  EXPECT_EQ(at(kStatSchema, kIrqMis), "irq_mis");
  EXPECT_EQ(at(kSelfSchema, kSelfCpuUs), "cpu_us");
  EXPECT_EQ(at(kSelfSchema, kSelfOomKill), "oom_kill");
  EXPECT_EQ(at(kSelfSchema, kSelfWakeNs), "wake_ns");
  EXPECT_EQ(at(kSelfSchema, kSelfReadNs), "read_ns");
  EXPECT_EQ(at(kSelfSchema, kSelfMissed), "missed");
  EXPECT_EQ(at(kSelfSchema, kSelfKmsgDropped), "kmsg_dropped");
  EXPECT_EQ(at(kSelfSchema, kSelfRowsRefused), "rows_refused");
  EXPECT_EQ(at(kSelfSchema, kSelfReadErrors), "read_errors");
  EXPECT_EQ(at(kTimingSchema, kTimingReadNs), "read_ns");
  EXPECT_EQ(at(kSubtickSchema, kSubtickBusyMax), "busy_max");
  EXPECT_EQ(at(kSubtickSchema, kSubtickProcessedLast), "processed_last");
  EXPECT_EQ(at(kSubtickSchema, kSubtickSqueezeMax), "squeeze_max");
  EXPECT_EQ(at(kSubtickSchema, kSubtickIntervalNs), "interval_ns");
}

TEST(Registry, NothingOnAnEmptyMachine) {
  FakeTree tree;
  const TreeRoots roots(tree.root());
  FakeSampler s(roots.roots());
  for (const SourceDef* def : all_sources()) {
    if (def->name == "self") continue;  // the process's own clock needs no file
    EXPECT_EQ(s.opened(def->name), ReadStatus::absent) << def->name;
  }
  s.tick();
  s.reopen();
  s.tick();
  EXPECT_EQ(s.layout().rows_refused, 0U);
  for (const TableDef& def : all_tables())
    EXPECT_EQ(s.has_table(def.schema->table), def.schema->table == "self");
}

// All sources over this machine's own kernel, several ticks, with and without the check of read shapes.
TEST(RealMachine, EverySourceThatIsThereReads) {
  FakeSampler s(Roots{}, {}, 1024);
  for (int i = 0; i < 5; ++i) s.tick(100'000'000, i == 3);
  for (const SourceDef* def : all_sources()) {
    if (s.opened(def->name) != ReadStatus::ok) continue;
    EXPECT_EQ(s.status(def->name), ReadStatus::ok) << def->name;
  }
  ASSERT_EQ(s.opened("stat"), ReadStatus::ok);
  ASSERT_EQ(s.opened("meminfo"), ReadStatus::ok);
  EXPECT_GT(s.cell("mem", "total_kb"), 0);
  EXPECT_GT(s.cell("self", "rss"), 0);
  EXPECT_GE(s.rows("cpu"), 1U);
  // Every interrupt line has a cell for every online CPU.
  EXPECT_EQ(s.rows("irq_cpu") % s.rows("cpu"), 0U);
  EXPECT_TRUE(s.resets().empty());
  EXPECT_EQ(s.layout().rows_refused, 0U);
}

}  // namespace
}  // namespace mikroscope::proc::test
