// Derived columns: the ratios. Each is declared and computed here, once, for every consumer; the agent
// computes none.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "proc/reader/item.h"

namespace mikroscope::proc {

struct Derived {
  std::string_view table;
  std::string_view name;
  Unit unit = Unit::ratio;
  std::string_view help;
  // nullopt where any input is absent.
  std::optional<double> (*compute)(const Frame& frame, std::uint32_t table, std::uint32_t row);
};

std::span<const Derived> all_derived();

// Busy share of one core by scheduler ticks: min(1, (user+nice+system+irq+softirq+steal) / (interval_s *
// USER_HZ)). Capped because a 100.3 ms interval can hold 11 ticks. USER_HZ is 100 on every Linux that this
// tool meets.
std::optional<double> busy_ratio(const Frame& frame, std::uint32_t cpu_row);
// The mean of the capped ratios of all cores that have one.
std::optional<double> busy_total(const Frame& frame);

}  // namespace mikroscope::proc
