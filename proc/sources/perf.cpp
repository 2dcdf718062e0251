// perf_event_open: hardware counters of each CPU. Needs rights over the whole machine. A counter that has
// never counted anything anywhere is not there: virtual machines open counters that stay at 0.

#include <errno.h>
#include <linux/perf_event.h>

#include "proc/sources/cpu_ids.h"
#include "proc/sources/perf_counters.h"
#include "proc/sources/small_file.h"
#include "proc/tables.h"

namespace mikroscope::proc {
namespace {

constexpr std::size_t kMaxPerfCpus = 64;  // each takes up to seven descriptors; CPUs above stay without rows

constexpr PerfEvent hardware(std::string_view name, std::uint64_t config, HelpText help) {
  return {name, PERF_TYPE_HARDWARE, config, help};
}
constexpr PerfEvent kEvents[] = {
    hardware("cycles", PERF_COUNT_HW_CPU_CYCLES, "clock cycles in which the core was not idle"),
    hardware("instructions", PERF_COUNT_HW_INSTRUCTIONS, "instructions retired"),
    hardware("cache-references", PERF_COUNT_HW_CACHE_REFERENCES, "accesses to the cache"),
    hardware("cache-misses", PERF_COUNT_HW_CACHE_MISSES, "accesses that missed it"),
    hardware("branch-instructions", PERF_COUNT_HW_BRANCH_INSTRUCTIONS, "branches retired"),
    hardware("branch-misses", PERF_COUNT_HW_BRANCH_MISSES, "branches predicted wrongly"),
    hardware("bus-cycles", PERF_COUNT_HW_BUS_CYCLES, "bus clock cycles or accesses, as the core defines it"),
};
constexpr std::size_t kCounters = std::size(kEvents);
static_assert(kCounters <= kMaxPerfEvents);

constexpr KeyColumn kKeys[] = {
    {"counter", true, false, "as perf names it: cycles, instructions, ..."},
    {"cpu", false, false, "the kernel's CPU number"},
};
constexpr Column kPerf[] = {
    {"count", Kind::counter, Unit::events, "events counted while running"},
    {"enabled_ns", Kind::counter, Unit::nanoseconds, "time the counter should have counted", Width::bits64, 0,
     Predict::above},
    {"running_ns", Kind::counter, Unit::nanoseconds, "time it did: less where counters take turns",
     Width::bits64, 0, Predict::above},
};

class PerfSource final : public Source {
 public:
  ReadStatus open(const Roots& roots, base::Arena& arena, base::ReadBuffer buffer) override {
    if (!roots.live)
      return ReadStatus::absent;  // counters are the running kernel's, not those of a tree of files
    std::string_view list;
    if (!read_once(KernelPath(roots.sys, "devices/system/cpu/possible"), buffer, list) ||
        !cpus_.parse_list(list)) {
      return ReadStatus::absent;
    }
    if (counters_ == nullptr) {
      count_ = cpus_.count() < kMaxPerfCpus ? cpus_.count() : kMaxPerfCpus;
      counters_ = arena.make<PerfCounters>(count_);
      if (counters_ == nullptr) return ReadStatus::failed;
    }
    const int error = open_missing();
    if (error != 0) return status_of_errno(error);
    PerfReading reading[kMaxPerfEvents];
    for (PerfCounters& cpu : std::span(counters_, count_)) {
      if (cpu.is_open() && cpu.read(reading)) prove(reading);
    }
    if (proved_ != 0) return ReadStatus::ok;
    for (PerfCounters& cpu : std::span(counters_, count_)) cpu.close();
    return ReadStatus::absent;
  }

  void bind(Layout& layout, State& state) override { perf_.bind(layout, state, kPerfSchema); }

  ReadStatus read(Tick& tick) override {
    if (minute_.due(tick.now_boot_ns)) open_missing();
    bool any = false;
    for (std::size_t i = 0; i < count_; ++i) {
      PerfReading reading[kMaxPerfEvents];
      if (!counters_[i].is_open() || !counters_[i].read(reading)) continue;
      prove(reading);
      for (std::size_t c = 0; c < kCounters; ++c) {
        if (!reading[c].present || (proved_ >> c & 1) == 0) continue;
        names_[c] = perf_.intern(kEvents[c].name, names_[c]);
        if (!perf_.row(names_[c], cpus_[i])) continue;
        perf_.set(0, reading[c].count);
        perf_.set(1, reading[c].enabled_ns);
        perf_.set(2, reading[c].running_ns);
        any = true;
      }
    }
    return any ? ReadStatus::ok : ReadStatus::failed;
  }

  void paths(void (*)(void*, std::string_view), void*) const override {}  // no file

 private:
  // Counters of CPUs that have none: at start, and of those that came (back) online. 0 when any CPU has
  // counters.
  int open_missing() {
    int error = ENODEV;
    bool any = false;
    for (std::size_t i = 0; i < count_; ++i) {
      const int result = counters_[i].is_open() ? 0 : counters_[i].open(cpus_[i], kEvents);
      any |= result == 0;
      if (result != 0 && result != ENODEV) error = result;
    }
    return any ? 0 : error;
  }

  void prove(std::span<const PerfReading> reading) {
    for (std::size_t c = 0; c < kCounters; ++c) {
      if (reading[c].present && reading[c].count != 0) proved_ |= 1U << c;
    }
  }

  CpuIds cpus_;
  PerfCounters* counters_ = nullptr;
  std::size_t count_ = 0;
  std::uint32_t proved_ = 0;  // bit c: counter c has counted something on some CPU
  KeyPart names_[kCounters] = {};
  EveryMinute minute_;
  TableWriter perf_;
};

}  // namespace

constinit const Schema kPerfSchema{"perf", kKeys, kPerf, "hardware counters of each core; of the first 64"};
constinit const SourceDef kPerfSource{
    "perf",
    "perf_event_open: hardware counters, one group per CPU",
    Group::counters,
    {},
    true,
    make_source<PerfSource>,
};
std::uint32_t perf_rows(const Machine& m) {
  return static_cast<std::uint32_t>(m.possible_cpus * kCounters);
}

}  // namespace mikroscope::proc
