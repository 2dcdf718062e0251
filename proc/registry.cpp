// Every table and every source, in the order in which they are read and shown.

#include "proc/tables.h"

namespace mikroscope::proc {
namespace {

constexpr TableDef kTables[] = {
    {&kCpuSchema, rows_per_cpu},     {&kCpuTotalSchema, rows_one},    {&kStatSchema, rows_one},
    {&kLoadSchema, rows_one},        {&kSoftnetSchema, rows_per_cpu}, {&kSoftirqSchema, softirq_rows},
    {&kIrqCpuSchema, irq_rows},      {&kPerfSchema, perf_rows},       {&kSchedSchema, rows_per_cpu},
    {&kCpuidleSchema, cpuidle_rows}, {&kMemSchema, rows_one},         {&kVmSchema, rows_one},
    {&kVmLevelSchema, rows_one},     {&kPsiSchema, rows_one},         {&kSlabSchema, slab_rows},
    {&kFlashSchema, flash_rows},     {&kDiskSchema, disk_rows},       {&kCpufreqSchema, rows_per_cpu},
    {&kThermalSchema, thermal_rows}, {&kBuddySchema, zone_rows},      {&kZoneSchema, zone_rows},
    {&kMtdSchema, mtd_rows},         {&kSelfSchema, rows_one},        {&kTimingSchema, timing_rows},
    {&kSubtickSchema, rows_per_cpu},
};
static_assert(std::size(kTables) <= kMaxTables);

// Group after group, so that the order of reading is the order here.
const SourceDef* const kSources[] = {
    // counters
    &kStatSource,
    &kSoftnetSource,
    &kSoftirqsSource,
    &kInterruptsSource,
    &kPerfSource,
    &kSchedstatSource,
    &kCpuidleSource,
    // memory
    &kMeminfoSource,
    &kLoadavgSource,
    &kVmstatSource,
    &kPsiSource,
    &kConntrackSource,
    // devices
    &kYaffsSource,
    &kDiskstatsSource,
    &kCpufreqSource,
    &kKmsgSource,
    // slow
    &kThermalSource,
    &kSlabinfoSource,
    &kBuddyinfoSource,
    &kZoneinfoSource,
    &kMtdSource,
    // self
    &kSelfSource,
};

}  // namespace

std::span<const TableDef> all_tables() {
  return kTables;
}

std::span<const SourceDef* const> all_sources() {
  return kSources;
}

const SourceDef* find_source(std::string_view name) {
  for (const SourceDef* source : kSources) {
    if (source->name == name) return source;
  }
  return nullptr;
}

}  // namespace mikroscope::proc
