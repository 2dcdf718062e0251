#include "proc/reader/derived.h"

#include <algorithm>

namespace mikroscope::proc {
namespace {

constexpr double kUserHz = 100;
constexpr double kNsPerSecond = 1e9;

// Finds columns by name at each call: a handful of short comparisons, for a few rows a frame.
std::optional<std::int64_t> named(const Frame& f, std::uint32_t table, std::uint32_t row,
                                  std::string_view column) {
  const int c = f.layout->tables[table].schema->column(column);
  return c < 0 ? std::nullopt : f.cell(table, row, static_cast<std::uint32_t>(c));
}

// The CPU number of a row of a table whose only integer key is the CPU.
std::optional<KeyPart> cpu_of(const Table& t, std::uint32_t row) {
  for (std::size_t k = 0; k < t.schema->keys.size(); ++k) {
    if (t.schema->keys[k].name == "cpu") return t.keys[row].part[k];
  }
  return std::nullopt;
}

std::optional<double> busy_by_ticks(const Frame& f, std::uint32_t table, std::uint32_t row) {
  // A kernel that does not print the later columns has no such time; without the first three nothing can be
  // said.
  std::int64_t busy = 0;
  for (const std::string_view column : {"user", "nice", "system"}) {
    const auto ticks = named(f, table, row, column);
    if (!ticks) return std::nullopt;
    busy += *ticks;
  }
  for (const std::string_view column : {"irq", "softirq", "steal"})
    busy += named(f, table, row, column).value_or(0);
  const auto interval = f.intervals_ns[table];
  if (interval <= 0) return std::nullopt;
  return std::min(1.0, static_cast<double>(busy) / (static_cast<double>(interval) / kNsPerSecond * kUserHz));
}

// Cycles counted by the PMU over the cycles that the clock made: finer than the 10 ms tick.
std::optional<double> busy_by_cycles(const Frame& f, std::uint32_t table, std::uint32_t row) {
  const int perf = f.layout->find("perf");
  const int clock = f.layout->find("cpufreq");
  const auto cpu = cpu_of(f.layout->tables[table], row);
  if (perf < 0 || clock < 0 || !cpu) return std::nullopt;
  const Table& p = f.layout->tables[perf];
  const Table& c = f.layout->tables[clock];
  std::optional<std::int64_t> cycles;
  for (std::uint32_t r = 0; r < f.rows[static_cast<std::size_t>(perf)] && !cycles; ++r) {
    if (cpu_of(p, r) != cpu || (*f.layout->texts)[p.keys[r].part[0]] != "cycles") continue;
    const auto count = named(f, static_cast<std::uint32_t>(perf), r, "count");
    const auto enabled = named(f, static_cast<std::uint32_t>(perf), r, "enabled_ns");
    const auto running = named(f, static_cast<std::uint32_t>(perf), r, "running_ns");
    // A counter that shared the PMU counted only part of the time: an estimate would hide that, so nothing is
    // said.
    if (count && enabled == running) cycles = count;
  }
  std::optional<std::int64_t> khz;
  for (std::uint32_t r = 0; r < f.rows[static_cast<std::size_t>(clock)] && !khz; ++r) {
    if (cpu_of(c, r) == cpu) khz = named(f, static_cast<std::uint32_t>(clock), r, "khz");
  }
  const auto interval = f.intervals_ns[perf];
  if (!cycles || !khz || *khz <= 0 || interval <= 0) return std::nullopt;
  return std::min(1.0, static_cast<double>(*cycles) /
                           (static_cast<double>(*khz) * 1e3 * static_cast<double>(interval) / kNsPerSecond));
}

// One minus the share of the interval that the core spent in idle states. The kernel adds a stay when it
// ends, so a long sleep is credited at its end: the value is clamped to 0..1.
std::optional<double> busy_by_idle(const Frame& f, std::uint32_t table, std::uint32_t row) {
  const int idle = f.layout->find("cpuidle");
  const auto cpu = cpu_of(f.layout->tables[table], row);
  if (idle < 0 || !cpu) return std::nullopt;
  const Table& t = f.layout->tables[idle];
  std::int64_t residency = 0;
  bool any = false;
  for (std::uint32_t r = 0; r < f.rows[static_cast<std::size_t>(idle)]; ++r) {
    if (cpu_of(t, r) != cpu) continue;
    const auto us = named(f, static_cast<std::uint32_t>(idle), r, "residency_us");
    if (!us) return std::nullopt;
    residency += *us;
    any = true;
  }
  const auto interval = f.intervals_ns[idle];
  if (!any || interval <= 0) return std::nullopt;
  return std::clamp(1.0 - static_cast<double>(residency) * 1e3 / static_cast<double>(interval), 0.0, 1.0);
}

std::optional<double> memory_used(const Frame& f, std::uint32_t table, std::uint32_t row) {
  const auto total = named(f, table, row, "total_kb");
  const auto available = named(f, table, row, "available_kb");
  if (!total || !available) return std::nullopt;
  return static_cast<double>(*total - *available);
}

constexpr Derived kDerived[] = {
    {"cpu", "busy_ratio", Unit::ratio,
     "busy share of the core by scheduler ticks: min(1, (user+nice+system+irq+softirq+steal) / (interval x "
     "USER_HZ))",
     busy_by_ticks},
    {"cpu", "busy_cycles_ratio", Unit::ratio,
     "busy share by PMU cycles over the core's clock; finer than a tick, only where perf and cpufreq are "
     "there and the "
     "counter ran all the time",
     busy_by_cycles},
    {"cpu", "busy_idle_ratio", Unit::ratio,
     "busy share by idle-state residency: 1 - residency / interval; finer than a tick, where cpuidle is "
     "there",
     busy_by_idle},
    {"mem", "used_kb", Unit::kilobytes, "total_kb - available_kb", memory_used},
};

}  // namespace

std::span<const Derived> all_derived() {
  return kDerived;
}

std::optional<double> busy_ratio(const Frame& frame, std::uint32_t cpu_row) {
  const int cpu = frame.layout->find("cpu");
  return cpu < 0 ? std::nullopt : busy_by_ticks(frame, static_cast<std::uint32_t>(cpu), cpu_row);
}

std::optional<double> busy_total(const Frame& frame) {
  const int cpu = frame.layout->find("cpu");
  if (cpu < 0) return std::nullopt;
  double sum = 0;
  int cores = 0;
  for (std::uint32_t row = 0; row < frame.rows[static_cast<std::size_t>(cpu)]; ++row) {
    const auto busy = busy_by_ticks(frame, static_cast<std::uint32_t>(cpu), row);
    if (!busy) continue;
    sum += *busy;
    ++cores;
  }
  return cores == 0 ? std::nullopt : std::optional(sum / cores);
}

}  // namespace mikroscope::proc
