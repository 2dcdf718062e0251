// Every table and source that exists, by name: each is defined in a file of proc/sources/, and
// proc/registry.cpp lists them. The agent needs some of them too: the tables that it fills itself.
#pragma once

#include "proc/source.h"

namespace mikroscope::proc {

template <class T>
Source* make_source(base::Arena& arena) {
  return arena.make<T>();
}

inline std::uint32_t rows_one(const Machine&) {
  return 1;
}
// One row for each CPU that this machine can ever have online.
inline std::uint32_t rows_per_cpu(const Machine& m) {
  return m.possible_cpus;
}

// One line per table or source, in the order of the registry. Rows: how many a table may grow to on a
// machine.
extern const Schema kCpuSchema;       // stat.cpp
extern const Schema kCpuTotalSchema;  // stat.cpp
extern const Schema kStatSchema;      // stat.cpp; irq_err and irq_mis: interrupts.cpp
extern const Schema kLoadSchema;      // loadavg.cpp; procs_running and procs_blocked: stat.cpp
extern const Schema kSoftnetSchema;
extern const Schema kSoftirqSchema;
extern const Schema kIrqCpuSchema;  // interrupts.cpp
extern const Schema kPerfSchema;
extern const Schema kSchedSchema;  // schedstat.cpp
extern const Schema kCpuidleSchema;
extern const Schema kMemSchema;      // meminfo.cpp
extern const Schema kVmSchema;       // vmstat.cpp
extern const Schema kVmLevelSchema;  // vmstat.cpp
extern const Schema kPsiSchema;
extern const Schema kSlabSchema;   // slabinfo.cpp; the row nf_conntrack also: conntrack.cpp
extern const Schema kFlashSchema;  // yaffs.cpp
extern const Schema kDiskSchema;   // diskstats.cpp
extern const Schema kCpufreqSchema;
extern const Schema kThermalSchema;
extern const Schema kBuddySchema;  // buddyinfo.cpp
extern const Schema kZoneSchema;   // zoneinfo.cpp
extern const Schema kMtdSchema;
extern const Schema kSelfSchema;     // self.cpp; kmsg_dropped: kmsg.cpp; the rest: the sampler
extern const Schema kTimingSchema;   // the sampler
extern const Schema kSubtickSchema;  // the sampler

std::uint32_t softirq_rows(const Machine& m);
std::uint32_t irq_rows(const Machine& m);
std::uint32_t perf_rows(const Machine& m);
std::uint32_t cpuidle_rows(const Machine& m);
std::uint32_t slab_rows(const Machine& m);
std::uint32_t flash_rows(const Machine& m);
std::uint32_t disk_rows(const Machine& m);
std::uint32_t thermal_rows(const Machine& m);
std::uint32_t zone_rows(const Machine& m);  // buddy and zone
std::uint32_t mtd_rows(const Machine& m);
std::uint32_t timing_rows(const Machine& m);

extern const SourceDef kStatSource;
extern const SourceDef kSoftnetSource;
extern const SourceDef kSoftirqsSource;
extern const SourceDef kInterruptsSource;
extern const SourceDef kPerfSource;
extern const SourceDef kSchedstatSource;
extern const SourceDef kCpuidleSource;
extern const SourceDef kMeminfoSource;
extern const SourceDef kLoadavgSource;
extern const SourceDef kVmstatSource;
extern const SourceDef kPsiSource;
extern const SourceDef kConntrackSource;
extern const SourceDef kYaffsSource;
extern const SourceDef kDiskstatsSource;
extern const SourceDef kCpufreqSource;
extern const SourceDef kKmsgSource;
extern const SourceDef kThermalSource;
extern const SourceDef kSlabinfoSource;
extern const SourceDef kBuddyinfoSource;
extern const SourceDef kZoneinfoSource;
extern const SourceDef kMtdSource;
extern const SourceDef kSelfSource;

}  // namespace mikroscope::proc
