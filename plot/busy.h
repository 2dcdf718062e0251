// The busy shares of the cores, frame after frame: what proc/reader/derived.h says of one cell, with the
// names looked up only when the tables change.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "proc/reader/item.h"

namespace mikroscope::plot {

struct CoreShares {
  // Per row of the table cpu, in per cent; empty where the recording has no such values.
  std::vector<std::optional<double>> ticks;   // busy_ratio
  std::vector<std::optional<double>> cycles;  // busy_cycles_ratio
  std::vector<std::optional<double>> idle;    // busy_idle_ratio
  std::optional<double> total;                // mean of ticks
  std::size_t cores = 0;                      // with a value in ticks
};

class BusyShares {
 public:
  // `fine`: cycles and idle too. The result is valid until the next call.
  const CoreShares& of(const proc::Frame& frame, bool fine);

 private:
  struct IdleRow {
    std::uint32_t core;
    std::uint32_t row;
  };
  struct CycleRows {  // rows of perf and cpufreq; -1: none
    int perf = -1;
    int clock = -1;
  };
  void bind(const proc::Frame& frame);
  void ticks(const proc::Frame& frame);
  void cycles(const proc::Frame& frame);
  void idle(const proc::Frame& frame);

  CoreShares out_;
  const proc::Schema* cpu_schema_ = nullptr;
  std::uint32_t tables_ = 0;
  std::uint64_t rows_ = 0;
  int cpu_ = -1;
  int perf_ = -1;
  int clock_ = -1;
  int idle_ = -1;
  int needed_[3] = {-1, -1, -1};    // user, nice, system
  int optional_[3] = {-1, -1, -1};  // irq, softirq, steal
  std::vector<CycleRows> cycle_rows_;
  std::vector<IdleRow> idle_rows_;
  std::vector<double> residency_us_;
  std::vector<std::uint8_t> idle_state_;  // per core: 0 no row, 1 whole, 2 a cell is missing
};

}  // namespace mikroscope::plot
