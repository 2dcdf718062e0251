#include "plot/busy.h"

#include <algorithm>

namespace mikroscope::plot {
namespace {

constexpr double kTicksPerSecond = 100;  // USER_HZ
constexpr double kNsPerSecond = 1e9;

int cpu_key(const proc::Table& t) {
  for (std::size_t k = 0; k < t.schema->keys.size(); ++k) {
    if (t.schema->keys[k].name == "cpu") return static_cast<int>(k);
  }
  return -1;
}

std::optional<std::int64_t> cell(const proc::Frame& f, int table, std::uint32_t row, int column) {
  if (column < 0) return std::nullopt;
  return f.cell(static_cast<std::uint32_t>(table), row, static_cast<std::uint32_t>(column));
}

}  // namespace

void BusyShares::bind(const proc::Frame& f) {
  const proc::Layout& l = *f.layout;
  cpu_ = l.find("cpu");
  perf_ = l.find("perf");
  clock_ = l.find("cpufreq");
  idle_ = l.find("cpuidle");
  cycle_rows_.clear();
  idle_rows_.clear();
  if (cpu_ < 0) return;
  const proc::Table& cpu = l.tables[cpu_];
  cpu_schema_ = cpu.schema;
  constexpr std::string_view kNeeded[] = {"user", "nice", "system"};
  constexpr std::string_view kOptional[] = {"irq", "softirq", "steal"};
  for (int i = 0; i < 3; ++i) {
    needed_[i] = cpu.schema->column(kNeeded[i]);
    optional_[i] = cpu.schema->column(kOptional[i]);
  }
  const int key = cpu_key(cpu);
  if (key < 0) return;
  cycle_rows_.resize(cpu.rows);
  for (std::uint32_t core = 0; core < cpu.rows; ++core) {
    const proc::KeyPart number = cpu.keys[core].part[key];
    const auto same = [&](const proc::Table& t, int k, std::uint32_t row) {
      return t.keys[row].part[k] == number;
    };
    if (idle_ >= 0 && cpu_key(l.tables[idle_]) >= 0) {
      const proc::Table& t = l.tables[idle_];
      for (std::uint32_t row = 0; row < t.rows; ++row) {
        if (same(t, cpu_key(t), row)) idle_rows_.push_back({core, row});
      }
    }
    if (perf_ < 0 || clock_ < 0 || cpu_key(l.tables[perf_]) < 0 || cpu_key(l.tables[clock_]) < 0) continue;
    const proc::Table& p = l.tables[perf_];
    for (std::uint32_t row = 0; row < p.rows; ++row) {
      if (same(p, cpu_key(p), row) && (*l.texts)[p.keys[row].part[0]] == "cycles" &&
          cycle_rows_[core].perf < 0)
        cycle_rows_[core].perf = static_cast<int>(row);
    }
    const proc::Table& c = l.tables[clock_];
    for (std::uint32_t row = 0; row < c.rows; ++row) {
      if (same(c, cpu_key(c), row) && cycle_rows_[core].clock < 0)
        cycle_rows_[core].clock = static_cast<int>(row);
    }
  }
}

const CoreShares& BusyShares::of(const proc::Frame& f, bool fine) {
  std::uint64_t rows = 0;
  for (const int table : {cpu_, perf_, clock_, idle_}) {
    if (table >= 0) rows = rows * 4096 + f.layout->tables[table].rows;
  }
  const bool changed = f.layout->table_count != tables_ || rows != rows_ ||
                       (cpu_ >= 0 && f.layout->tables[cpu_].schema != cpu_schema_);
  if (changed) {
    bind(f);
    tables_ = f.layout->table_count;
    rows_ = 0;
    for (const int table : {cpu_, perf_, clock_, idle_}) {
      if (table >= 0) rows_ = rows_ * 4096 + f.layout->tables[table].rows;
    }
  }
  out_.total.reset();
  out_.cores = 0;
  const bool there = cpu_ >= 0 && f.has_table(static_cast<std::uint32_t>(cpu_));
  const std::size_t count = there ? f.rows[static_cast<std::size_t>(cpu_)] : 0;
  out_.ticks.assign(count, std::nullopt);
  out_.cycles.assign(count, std::nullopt);
  out_.idle.assign(count, std::nullopt);
  if (!there) return out_;
  ticks(f);
  if (fine) {
    cycles(f);
    idle(f);
  }
  return out_;
}

void BusyShares::ticks(const proc::Frame& f) {
  const std::int64_t interval = f.intervals_ns[cpu_];
  if (interval <= 0) return;
  const double whole = static_cast<double>(interval) / kNsPerSecond * kTicksPerSecond;
  double sum = 0;
  for (std::uint32_t core = 0; core < out_.ticks.size(); ++core) {
    // A kernel that does not print the later columns has no such time; without the first three nothing can be
    // said.
    std::int64_t busy = 0;
    bool good = true;
    for (const int column : needed_) {
      const auto v = cell(f, cpu_, core, column);
      good = good && v;
      busy += v.value_or(0);
    }
    if (!good) continue;
    for (const int column : optional_) busy += cell(f, cpu_, core, column).value_or(0);
    const double share = std::min(1.0, static_cast<double>(busy) / whole) * 100;
    out_.ticks[core] = share;
    sum += share;
    ++out_.cores;
  }
  if (out_.cores != 0) out_.total = sum / static_cast<double>(out_.cores);
}

void BusyShares::cycles(const proc::Frame& f) {
  if (perf_ < 0 || clock_ < 0) return;
  const proc::Schema& p = *f.layout->tables[perf_].schema;
  const int count_at = p.column("count");
  const int enabled_at = p.column("enabled_ns");
  const int running_at = p.column("running_ns");
  const int khz_at = f.layout->tables[clock_].schema->column("khz");
  const std::int64_t interval = f.intervals_ns[perf_];
  if (interval <= 0) return;
  for (std::size_t core = 0; core < out_.cycles.size() && core < cycle_rows_.size(); ++core) {
    const CycleRows& r = cycle_rows_[core];
    if (r.perf < 0 || r.clock < 0) continue;
    const auto row = static_cast<std::uint32_t>(r.perf);
    const auto count = cell(f, perf_, row, count_at);
    const auto khz = cell(f, clock_, static_cast<std::uint32_t>(r.clock), khz_at);
    // A counter that shared the PMU counted only part of the time: nothing is said then.
    if (!count || !khz || *khz <= 0 || cell(f, perf_, row, enabled_at) != cell(f, perf_, row, running_at))
      continue;
    const double possible = static_cast<double>(*khz) * 1e3 * static_cast<double>(interval) / kNsPerSecond;
    out_.cycles[core] = std::min(1.0, static_cast<double>(*count) / possible) * 100;
  }
}

void BusyShares::idle(const proc::Frame& f) {
  if (idle_ < 0) return;
  const int column = f.layout->tables[idle_].schema->column("residency_us");
  const std::int64_t interval = f.intervals_ns[idle_];
  if (interval <= 0) return;
  residency_us_.assign(out_.idle.size(), 0);
  idle_state_.assign(out_.idle.size(), 0);
  for (const IdleRow& r : idle_rows_) {
    if (r.core >= out_.idle.size() || r.row >= f.rows[static_cast<std::size_t>(idle_)]) continue;
    const auto us = cell(f, idle_, r.row, column);
    idle_state_[r.core] = us && idle_state_[r.core] != 2 ? 1 : 2;
    residency_us_[r.core] += static_cast<double>(us.value_or(0));
  }
  for (std::size_t core = 0; core < out_.idle.size(); ++core) {
    if (idle_state_[core] != 1) continue;
    const double share = residency_us_[core] * 1e3 / static_cast<double>(interval);
    out_.idle[core] = std::clamp(1.0 - share, 0.0, 1.0) * 100;
  }
}

}  // namespace mikroscope::plot
